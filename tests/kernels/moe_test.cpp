// Routing, sorting and combining of a mixture of experts against their definitions, on the GPU that
// the program runs on and on the scalar reference.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "managed.h"
#include "moe_case.h"

namespace {

using bf16 = __bf16;
using testing::HasSubstr;

template <class T>
double number(T value) {
  return static_cast<double>(static_cast<float>(value));
}

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// The scores of a token as they are compared, and the weights that experts would have.
struct Ranked {
  std::vector<double> rank, weight;
};

Ranked ranked(const RouteCase& test, std::vector<double> scores) {
  const double most = *std::ranges::max_element(scores);
  double sum = 0;
  for (const double x : scores) sum += std::exp(x - most);
  Ranked result;
  for (std::size_t i = 0; i < scores.size(); i++) {
    const double weight =
        test.sigmoid ? 1 / (1 + std::exp(-scores[i])) : std::exp(scores[i] - most) / sum;
    result.weight.push_back(weight);
    result.rank.push_back(weight + (test.bias ? test.bias[i] : 0));
  }
  if (test.groups == 1) return result;
  const int size = test.experts / test.groups;
  std::vector<double> good;
  for (int group = 0; group < test.groups; group++) {
    std::vector<double> all(result.rank.begin() + group * size,
                            result.rank.begin() + (group + 1) * size);
    std::ranges::sort(all, std::greater());
    good.push_back(all[0] + (test.of_group == 2 && size > 1 ? all[1] : 0));
  }
  std::vector<int> order(at(test.groups));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](int group) { return good[at(group)]; });
  for (int i = test.chosen_groups; i < test.groups; i++)
    for (int k = 0; k < size; k++) result.rank[at(order[at(i)] * size + k)] = -1e30;
  return result;
}

template <class T>
void test_route(std::string (*run)(const RouteCase&), RouteCase test, double tolerance) {
  SCOPED_TRACE(testing::Message() << test.tokens << " tokens, " << test.experts << " experts, "
                                  << test.chosen << " chosen" << (test.on_host ? ", host" : ""));
  test.stride = test.experts + 3;
  const Managed<T> scores(at(test.tokens) * static_cast<std::size_t>(test.stride),
                          T(std::nanf("")));
  const Managed<float> bias(at(test.experts), 0), weights(at(test.tokens * test.chosen), -1);
  const Managed<int> which(at(test.tokens * test.chosen), -1);
  std::mt19937 random(7);
  std::normal_distribution<float> values;
  for (int token = 0; token < test.tokens; token++)
    for (int i = 0; i < test.experts; i++)
      scores[static_cast<std::size_t>(token * test.stride + i)] = T(2 * values(random));
  for (float& one : bias.all()) one = 0.1f * values(random);
  test.scores = scores.data(), test.which = which.data(), test.weights = weights.data();
  if (test.sigmoid) test.bias = bias.data();
  ASSERT_EQ(run(test), "");
  for (int token = 0; token < test.tokens; token++) {
    std::vector<double> row;
    for (int i = 0; i < test.experts; i++)
      row.push_back(number(scores[static_cast<std::size_t>(token * test.stride + i)]));
    const Ranked wanted = ranked(test, row);
    std::vector<double> best = wanted.rank;
    std::ranges::sort(best, std::greater());
    std::vector<int> found(which.data() + token * test.chosen,
                           which.data() + (token + 1) * test.chosen);
    double sum = 0;
    for (int i = 0; i < test.chosen; i++) {
      ASSERT_TRUE(0 <= found[at(i)] && found[at(i)] < test.experts) << found[at(i)];
      EXPECT_NEAR(wanted.rank[at(found[at(i)])], best[at(i)], 1e-6) << "token " << token;
      sum += wanted.weight[at(found[at(i)])];
    }
    for (int i = 0; i < test.chosen; i++)
      EXPECT_NEAR(weights[at(token * test.chosen + i)],
                  wanted.weight[at(found[at(i)])] * test.factor / (test.renormalise ? sum : 1),
                  tolerance);
    std::ranges::sort(found);
    EXPECT_EQ(std::ranges::adjacent_find(found), found.end()) << "an expert is chosen twice";
  }
}

TEST(Moe, RouteBySoftmax) {
  for (const bool on_host : {false, true})
    for (const auto& [experts, chosen] :
         {std::pair{1, 1}, {8, 2}, {60, 4}, {128, 8}, {300, 16}, {512, 6}}) {
      test_route<float>(route_f32,
                        {.on_host = on_host, .tokens = 13, .experts = experts, .chosen = chosen},
                        1e-6);
      test_route<bf16>(route_bf16,
                       {.on_host = on_host,
                        .renormalise = false,
                        .tokens = 3,
                        .experts = experts,
                        .chosen = chosen,
                        .factor = 2.5f},
                       1e-6);
    }
}

/// As DeepSeek-V2 and V3 choose.
TEST(Moe, RouteByGroups) {
  for (const bool on_host : {false, true}) {
    test_route<float>(route_f32,
                      {.on_host = on_host,
                       .tokens = 9,
                       .experts = 160,
                       .chosen = 6,
                       .groups = 8,
                       .chosen_groups = 3},
                      1e-6);
    test_route<float>(route_f32,
                      {.on_host = on_host,
                       .sigmoid = true,
                       .tokens = 9,
                       .experts = 256,
                       .chosen = 8,
                       .groups = 8,
                       .chosen_groups = 4,
                       .of_group = 2,
                       .factor = 2.5f},
                      1e-6);
    test_route<float>(route_f32,
                      {.on_host = on_host,
                       .sigmoid = true,
                       .tokens = 5,
                       .experts = 32,
                       .chosen = 3,
                       .groups = 32,
                       .chosen_groups = 5,
                       .of_group = 2},
                      1e-6);
  }
}

TEST(Moe, RouteOfEqualAndOfNoNumbers) {
  for (const bool on_host : {false, true}) {
    const float infinity = std::numeric_limits<float>::infinity(), none = std::nanf("");
    const std::vector<float> rows[] = {{1, 1, 1, 1, 1},
                                       {none, 2, none, 2, 1},
                                       {none, none, none, none, none},
                                       {infinity, 1, 2, 3, 4},
                                       {-infinity, -infinity, 0, -infinity, -infinity}};
    const Managed<float> scores(25, 0), weights(15, -1);
    const Managed<int> which(15, -1);
    for (int row = 0; row < 5; row++) std::ranges::copy(rows[row], scores.data() + row * 5);
    ASSERT_EQ(route_f32({.on_host = on_host,
                         .tokens = 5,
                         .experts = 5,
                         .chosen = 3,
                         .stride = 5,
                         .scores = scores.data(),
                         .which = which.data(),
                         .weights = weights.data()}),
              "");
    const auto chosen = [&](int row) {
      return std::vector<int>(which.data() + row * 3, which.data() + row * 3 + 3);
    };
    EXPECT_THAT(chosen(0), testing::ElementsAre(0, 1, 2));
    EXPECT_THAT(chosen(1), testing::ElementsAre(1, 3, 4));
    EXPECT_THAT(chosen(2), testing::ElementsAre(0, 1, 2));
    EXPECT_THAT(chosen(4), testing::ElementsAre(2, 0, 1));
    for (const int one : which.all()) EXPECT_TRUE(0 <= one && one < 5) << one;
  }
}

TEST(Moe, RouteRefuses) {
  const Managed<float> scores(64, 0);
  const Managed<int> which(64, 0);
  RouteCase test{.tokens = 2,
                 .experts = 8,
                 .chosen = 2,
                 .stride = 8,
                 .scores = scores.data(),
                 .which = which.data(),
                 .weights = scores.data()};
  EXPECT_EQ(route_f32(test), "");
  test.groups = 3;
  EXPECT_THAT(route_f32(test), HasSubstr("8 experts cannot be in 3 groups"));
  test.groups = 4, test.chosen_groups = 1, test.chosen = 3;
  EXPECT_THAT(route_f32(test), HasSubstr("is 3: it must be from 1 to 2"));
  test.chosen_groups = 5;
  EXPECT_THAT(route_f32(test), HasSubstr("groups that are chosen is 5"));
  test.groups = test.chosen_groups = 1, test.chosen = 2, test.factor = 0;
  EXPECT_THAT(route_f32(test), HasSubstr("the factor"));
  test.factor = 1, test.experts = 600, test.stride = 600;
  EXPECT_THAT(route_f32(test), HasSubstr("the number of experts is 600"));
  test.experts = 8, test.which = nullptr;
  EXPECT_THAT(route_f32(test), HasSubstr("the experts is a null pointer"));
}

TEST(Moe, Sort) {
  for (const bool on_host : {false, true})
    for (const auto& [tokens, chosen, experts] :
         {std::tuple{0, 2, 4}, {1, 1, 1}, {7, 3, 5}, {700, 4, 60}, {1500, 2, 300}}) {
      const int choices = tokens * chosen;
      const Managed<int> which(at(choices), 0), starts(at(experts + 1), -7), rows(at(choices), -7),
          places(at(choices), -7);
      std::mt19937 random(3);
      for (int& one : which.all())
        one = std::uniform_int_distribution(0, std::max(0, experts - 2))(random);
      if (choices > 10) which[3] = -1, which[9] = experts;  // none of them
      ASSERT_EQ(sort_by_expert({.on_host = on_host,
                                .choices = choices,
                                .chosen = chosen,
                                .experts = experts,
                                .which = which.data(),
                                .starts = starts.data(),
                                .rows = rows.data(),
                                .places = places.data()}),
                "");
      int next = 0;
      for (int expert = 0; expert < experts; expert++) {
        EXPECT_EQ(starts[at(expert)], next);
        for (int i = 0; i < choices; i++) {
          if (which[at(i)] != expert) continue;
          ASSERT_EQ(places[at(i)], next);
          ASSERT_EQ(rows[at(next)], i / chosen);
          next++;
        }
      }
      EXPECT_EQ(starts[at(experts)], next);
      if (choices > 10) {
        EXPECT_EQ(places[3], -1);
        EXPECT_EQ(places[9], -1);
      }
    }
}

template <class T>
void test_combine(std::string (*run)(const CombineCase&), double relative) {
  for (const bool on_host : {false, true})
    for (const int columns : {1, 8, 100, 4099}) {
      constexpr int tokens = 5, chosen = 3, rows = tokens * chosen;
      const std::int64_t stride = columns + 5;
      const Managed<T> in(static_cast<std::size_t>(rows * stride), T(1)),
          out(static_cast<std::size_t>(tokens * stride), T(9));
      const Managed<float> weights(rows, 0);
      const Managed<int> places(rows, 0);
      std::mt19937 random(5);
      std::normal_distribution<float> values;
      for (T& one : in.all()) one = T(values(random));
      for (float& one : weights.all()) one = values(random);
      std::iota(places.data(), places.data() + rows, 0);
      std::shuffle(places.data(), places.data() + rows, random);
      places[4] = -1;
      ASSERT_EQ(run({.on_host = on_host,
                     .tokens = tokens,
                     .chosen = chosen,
                     .columns = columns,
                     .rows = rows,
                     .stride = stride,
                     .in = in.data(),
                     .places = places.data(),
                     .weights = weights.data(),
                     .out = out.data()}),
                "");
      for (int token = 0; token < tokens; token++) {
        for (int column = 0; column < columns; column++) {
          double sum = 0, size = 0;
          for (int i = 0; i < chosen; i++) {
            const int place = places[at(token * chosen + i)];
            if (place < 0) continue;
            const double term = weights[at(token * chosen + i)] *
                                number(in[static_cast<std::size_t>(place * stride + column)]);
            sum += term, size += std::abs(term);
          }
          ASSERT_NEAR(number(out[static_cast<std::size_t>(token * stride + column)]), sum,
                      relative * std::abs(sum) + 1e-6 * size);
        }
        for (auto i = columns; i < stride; i++)
          ASSERT_EQ(number(out[static_cast<std::size_t>(token * stride + i)]), 9);
      }
    }
}

TEST(Moe, Combine) {
  test_combine<bf16>(combine_bf16, 0x1p-8);
  test_combine<float>(combine_f32, 0x1p-23);
}

/// For what is told of them (kpi.toml).
TEST(Moe, DISABLED_EachKernel) {
  constexpr int tokens = 256, experts = 128, chosen = 8, columns = 2048;
  const Managed<float> scores(tokens * experts, 0.5f), weights(tokens * chosen, 0),
      rows(tokens * chosen * columns, 0);
  const Managed<int> which(tokens * chosen, 3), starts(experts + 1, 0), of_rows(tokens * chosen, 0),
      places(tokens * chosen, 0);
  RouteCase route{.tokens = tokens,
                  .experts = experts,
                  .chosen = chosen,
                  .stride = experts,
                  .scores = scores.data(),
                  .which = which.data(),
                  .weights = weights.data()};
  EXPECT_EQ(route_f32(route), "");
  EXPECT_EQ(route_bf16(route), "");
  EXPECT_EQ(sort_by_expert({.choices = tokens * chosen,
                            .chosen = chosen,
                            .experts = experts,
                            .which = which.data(),
                            .starts = starts.data(),
                            .rows = of_rows.data(),
                            .places = places.data()}),
            "");
  CombineCase combine{.tokens = tokens,
                      .chosen = chosen,
                      .columns = columns,
                      .rows = tokens * chosen,
                      .stride = columns,
                      .in = rows.data(),
                      .places = places.data(),
                      .weights = weights.data(),
                      .out = rows.data()};
  EXPECT_EQ(combine_bf16(combine), "");
  EXPECT_EQ(combine_f32(combine), "");
}

}  // namespace
