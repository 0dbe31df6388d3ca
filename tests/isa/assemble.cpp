#include "assemble.h"

#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <mutex>
#include <string>

#include "support/error.h"

namespace hipsight::test {

std::vector<std::byte> assemble(std::string_view processor, std::string_view text,
                                std::string_view features) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
  });
  const llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target) fail("no AMDGPU target: {}", problem);

  llvm::SourceMgr sources;
  std::string messages;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic& diagnostic, void* to) {
        *static_cast<std::string*>(to) += diagnostic.getMessage().str() + "\n";
      },
      &messages);
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text.data(), text.size())), {});

  const llvm::MCTargetOptions options;
  const std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple));
  const std::unique_ptr<llvm::MCAsmInfo> assembly(
      target->createMCAsmInfo(*registers, triple, options));
  const std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, processor, features));
  llvm::MCContext context(triple, assembly.get(), registers.get(), subtarget.get(), &sources);
  const std::unique_ptr<llvm::MCObjectFileInfo> files(
      target->createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(files.get());

  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream out(object);
  std::unique_ptr<llvm::MCAsmBackend> backend(
      target->createMCAsmBackend(*subtarget, *registers, options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(out);
  const std::unique_ptr<llvm::MCStreamer> streamer(target->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer),
      std::unique_ptr<llvm::MCCodeEmitter>(target->createMCCodeEmitter(*instructions, context)),
      *subtarget));
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *assembly));
  const std::unique_ptr<llvm::MCTargetAsmParser> syntax(
      target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*syntax);
  if (parser->Run(/*NoInitialTextSection=*/false))
    fail("cannot assemble for {}: {}\n{}", processor, messages, text);

  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(object.data(), object.size()), "assembled"));
  if (!file) fail("{}", llvm::toString(file.takeError()));
  std::vector<std::byte> code;
  for (const llvm::object::SectionRef& section : (*file)->sections()) {
    if (!section.isText()) continue;
    const llvm::StringRef bytes = llvm::cantFail(section.getContents());
    for (const char byte : bytes) code.push_back(static_cast<std::byte>(byte));
  }
  return code;
}

}  // namespace hipsight::test
