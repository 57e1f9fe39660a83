#include "problems/wb_matmul.hpp"

#include <cstddef>
#include <string>

#include "judge/bench.hpp"
#include "judge/program_bench.hpp"

namespace tilelab::wb_matmul {
namespace {

std::vector<double> whole_numbers(std::size_t count, judge::RandomStream& random) {
  std::vector<double> values(count);
  for (double& value : values) value = random.between(0, 1) == 0 ? random.between(1, 8) : -random.between(1, 8);
  return values;
}

judge::DataFile text_file(std::string name, int rows, int columns, const std::vector<double>& values) {
  std::string text = std::to_string(rows) + " " + std::to_string(columns) + "\n";
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool ends = (i + 1) % static_cast<std::size_t>(columns) == 0;
    text += std::to_string(static_cast<int>(values[i])) + (ends ? "\n" : " ");
  }
  judge::DataFile file{.name = std::move(name), .content = {}};
  for (const char letter : text) file.content.push_back(static_cast<std::byte>(letter));
  return file;
}

}  // namespace

judge::ProgramTrial product_trial(Shape shape, judge::RandomStream random) {
  const auto M = static_cast<std::size_t>(shape.M), N = static_cast<std::size_t>(shape.N), K = static_cast<std::size_t>(shape.K);
  const std::vector<double> a = whole_numbers(M * K, random), b = whole_numbers(K * N, random);
  std::vector<double> c(M * N);
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t j = 0; j < N; ++j) c[i * N + j] += a[i * K + k] * b[k * N + j];
  judge::ProgramTrial trial;
  trial.shape = "M=" + std::to_string(M) + " N=" + std::to_string(N) + " K=" + std::to_string(K);
  trial.inputs = "whole numbers";
  trial.arguments = {"-e", "none.raw", "-i", "input0.raw,input1.raw", "-o", "output.raw", "-t", "matrix"};
  trial.files = {text_file("input0.raw", shape.M, shape.K, a), text_file("input1.raw", shape.K, shape.N, b)};
  trial.output = "output.raw";
  trial.expectation = {.rows = M, .columns = N, .values = std::move(c)};
  return trial;
}

void check_product(const std::vector<Shape>& shapes) {
  for (const Shape& shape : shapes) judge::check(product_trial(shape, judge::bench().draw()));
}

std::vector<Shape> random_shapes(int count, Shape limit) {
  judge::RandomStream random = judge::bench().draw();
  std::vector<Shape> shapes;
  for (int i = 0; i < count; ++i) {
    const int M = random.between(1, limit.M), N = random.between(1, limit.N), K = random.between(1, limit.K);
    shapes.push_back({M, N, K});
  }
  return shapes;
}

}  // namespace tilelab::wb_matmul
