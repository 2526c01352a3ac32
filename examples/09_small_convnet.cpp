// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A convolutional net of two layers learns digits by gradient descent: convolutions, matrix
// products and their gradients are plans that are made once, and plain Kokkos loops compute the
// rest. Images stay int8. The first convolution and the gradient of its weights read (grey - mean)
// / 128. In a step, only a batch of bytes is copied to the device, and nothing is copied back.
//
//     09_small_convnet [--train N] [--test N] [--epochs N] [--record FILE.h5]
//
// A batch has 100 images. `--train` and `--test` must be at least 100. `--record` stores images,
// first weights and losses: examples/python/convnet_torch.py trains the same net with PyTorch, and
// prints both curves.
//
// Expected output (last digits depend on the machine's instruction set):
//     step    0: loss 2.3012
//     step   60: loss 2.0855
//     step  120: loss 0.6232
//     step  180: loss 0.3227
//     step  240: loss 0.2224
//     step  300: loss 0.2442
//     step  360: loss 0.2928
//     step  420: loss 0.1299
//     step  480: loss 0.2912
//     step  540: loss 0.1071
//     600 steps of 100 images, 3.71 ms each; error rate of the test images 90.25 %, then 2.40 %

#include "digits.hpp"
#include "options.hpp"

#include <synelix/hdf5.hpp>
#include <synelix/synelix.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace sx = synelix;

using Exec = Kokkos::DefaultExecutionSpace;
template <class Data>
using Array = Kokkos::View<Data, Kokkos::LayoutRight, Exec>;
template <class Data>
using HostArray = Kokkos::View<Data, Kokkos::LayoutRight, Kokkos::HostSpace>;

constexpr int batch = 100;
constexpr int classes = digits::classes;
constexpr double rate = 0.05;  // of learning

template <class View>
sx::StridedOutput output(const View& view) {
  std::vector<std::int64_t> extents;
  extents.reserve(View::rank());
  for (std::size_t i = 0; i < View::rank(); ++i) {
    extents.push_back(static_cast<std::int64_t>(view.extent(i)));
  }
  return {view.data(), extents};
}

// y = relu(conv2d(x, w) + b): its parameters, its gradients, and the plans of both.
struct Layer {
  using Plan = sx::ConvPlan<float, Exec>;

  Layer(const Exec& exec, const sx::Operand& x, const Array<float****>& weights,
        const Array<float****>& result, const sx::ConvOptions& options)
      : w(weights),
        b("bias", w.extent(0)),
        y(result),
        grad_w("grad_w", w.extent(0), w.extent(1), w.extent(2), w.extent(3)),
        grad_b("grad_b", w.extent(0)),
        grad_y("grad_y", y.extent(0), y.extent(1), y.extent(2), y.extent(3)),
        forward(exec, {sx::ConvOperator::forward, 2, x, w, b, output(y)}, options),
        by_weights(exec, {sx::ConvOperator::grad_weights, 2, x, grad_y, {}, output(grad_w)},
                   options),
        by_bias(exec, {sx::ConvOperator::grad_bias, 2, grad_y, {}, {}, output(grad_b)}, options) {}

  Array<float****> w;  // (results, channels, 5 or 3, 5 or 3)
  Array<float*> b;
  Array<float****> y;  // (batch, results, rows, columns)
  Array<float****> grad_w;
  Array<float*> grad_b;
  Array<float****> grad_y;
  Plan forward;
  Plan by_weights;
  Plan by_bias;
};

// Elements of an array as one contiguous range.
template <class View>
Array<float*> flat(const View& view) {
  return Array<float*>(view.data(), view.size());
}

void relu(const Exec& exec, const Array<float*>& y) {
  Kokkos::parallel_for(
      "relu", Kokkos::RangePolicy<Exec>(exec, 0, y.size()),
      KOKKOS_LAMBDA(const int i) { y(i) = Kokkos::max(y(i), 0.0F); });
}

void grad_relu(const Exec& exec, const Array<float*>& y, const Array<float*>& grad) {
  Kokkos::parallel_for(
      "grad_relu", Kokkos::RangePolicy<Exec>(exec, 0, y.size()),
      KOKKOS_LAMBDA(const int i) { grad(i) = y(i) > 0 ? grad(i) : 0.0F; });
}

void descend(const Exec& exec, const Array<float*>& values, const Array<float*>& grad) {
  constexpr auto step = static_cast<float>(rate / batch);
  Kokkos::parallel_for(
      "descend", Kokkos::RangePolicy<Exec>(exec, 0, values.size()),
      KOKKOS_LAMBDA(const int i) { values(i) -= step * grad(i); });
}

// Turns the scores of a row into probabilities and subtracts 1 for the right class: the gradient
// with respect to the scores. Returns the cross entropy.
KOKKOS_INLINE_FUNCTION float softmax(const Array<float**>& scores, const Array<float**>& bias,
                                     int i, int label) {
  float most = -INFINITY;
  for (int k = 0; k < classes; ++k) {
    scores(i, k) += bias(0, k);
    most = Kokkos::max(most, scores(i, k));
  }
  float sum = 0;
  for (int k = 0; k < classes; ++k) sum += Kokkos::exp(scores(i, k) - most);
  const float loss = Kokkos::log(sum) - (scores(i, label) - most);
  for (int k = 0; k < classes; ++k) scores(i, k) = Kokkos::exp(scores(i, k) - most) / sum;
  scores(i, label) -= 1;
  return loss;
}

template <class... Extents>
auto random_weights(digits::Random& random, int inputs, Extents... extents) {
  using Data = std::conditional_t<sizeof...(Extents) == 4, float****, float**>;
  Array<Data> w("w", static_cast<std::size_t>(extents)...);
  const auto host = Kokkos::create_mirror_view(w);
  const float most = 1 / std::sqrt(static_cast<float>(inputs));
  for (std::size_t i = 0; i < host.size(); ++i) host.data()[i] = random.between(-most, most);
  Kokkos::deep_copy(w, host);
  return w;
}

struct Net {
  Net(const Exec& exec, double mean, digits::Random random)
      : images("images", batch, 1, 28, 28),
        labels("labels", batch),
        first(exec, sx::scaled(images, 1.0 / 128, -mean / 128),
              random_weights(random, 25, 8, 1, 5, 5), Array<float****>("y1", batch, 8, 14, 14),
              {.stride = 2, .padding = 2}),
        second(exec, first.y, random_weights(random, 72, 16, 8, 3, 3),
               Array<float****>("y2", batch, 16, 7, 7), {.stride = 2, .padding = 1}),
        by_first(
            exec,
            {sx::ConvOperator::grad_input, 2, second.grad_y, second.w, {}, output(first.grad_y)},
            {.stride = 2, .padding = 1}),
        hidden(second.y.data(), batch, 16 * 7 * 7),
        w(random_weights(random, 784, 784, 10)),
        b("b", 1, classes),
        scores("scores", batch, classes),
        ones("ones", 1, batch),
        to_scores(exec, hidden, w, scores),
        by_hidden(exec, scores, sx::transposed(w),
                  Array<float**>(second.grad_y.data(), batch, 16 * 7 * 7)),
        update_w(exec, sx::transposed(hidden), scores, w, {.alpha = -rate / batch, .beta = 1}),
        update_b(exec, ones, scores, b, {.alpha = -rate / batch, .beta = 1}) {
    Kokkos::deep_copy(ones, 1.0F);
  }

  void forward(const Exec& exec) const {
    first.forward.run(exec);
    relu(exec, flat(first.y));
    second.forward.run(exec);
    relu(exec, flat(second.y));
    to_scores.run(exec);
  }

  // Replaces scores by their gradient. `loss` becomes the sum of the cross entropies, on the
  // device.
  void compare(const Exec& exec, const Array<float>& loss) const {
    const auto all = scores;
    const auto bias = b;
    const auto right = labels;
    Kokkos::parallel_reduce(
        "softmax", Kokkos::RangePolicy<Exec>(exec, 0, batch),
        KOKKOS_LAMBDA(const int i, float& sum) { sum += softmax(all, bias, i, right(i)); }, loss);
  }

  void backward(const Exec& exec) const {
    by_hidden.run(exec);
    grad_relu(exec, flat(second.y), flat(second.grad_y));
    second.by_weights.run(exec);
    second.by_bias.run(exec);
    by_first.run(exec);
    grad_relu(exec, flat(first.y), flat(first.grad_y));
    first.by_weights.run(exec);
    first.by_bias.run(exec);
  }

  void update(const Exec& exec) const {
    update_w.run(exec);  // w -= rate / batch * hidden^T grad_scores, in place
    update_b.run(exec);
    for (const Layer* layer : {&first, &second}) {
      descend(exec, flat(layer->w), flat(layer->grad_w));
      descend(exec, layer->b, layer->grad_b);
    }
  }

  Array<std::int8_t****> images;
  Array<std::uint8_t*> labels;
  Layer first;
  Layer second;
  sx::ConvPlan<float, Exec> by_first;  // second.grad_y to first.grad_y
  Array<float**> hidden;               // second.y, a row for each image
  Array<float**> w;
  Array<float**> b;
  Array<float**> scores;
  Array<float**> ones;
  sx::MatmulPlan<float, Exec> to_scores;
  sx::MatmulPlan<float, Exec> by_hidden;
  sx::MatmulPlan<float, Exec> update_w;
  sx::MatmulPlan<float, Exec> update_b;
};

struct Digits {
  HostArray<std::int8_t****> images;
  HostArray<std::uint8_t*> labels;

  Digits(std::int64_t first, std::int64_t count)
      : images("digits", count, 1, 28, 28), labels("labels", count) {
    std::vector<float> grey(digits::pixels);
    for (std::int64_t i = 0; i < count; ++i) {
      labels(i) = static_cast<std::uint8_t>(digits::draw(1, first + i, grey.data()));
      std::transform(grey.begin(), grey.end(), &images(i, 0, 0, 0), digits::as_int8);
    }
  }
  [[nodiscard]] int batches() const { return static_cast<int>(labels.size() / batch); }
  // Copies batch k to the place where the net reads it.
  void copy(const Exec& exec, int k, const Net& net) const {
    const auto these = Kokkos::make_pair(k * batch, (k + 1) * batch);
    Kokkos::deep_copy(exec, net.images,
                      Kokkos::subview(images, these, Kokkos::ALL, Kokkos::ALL, Kokkos::ALL));
    Kokkos::deep_copy(exec, net.labels, Kokkos::subview(labels, these));
  }
};

double error_rate(const Exec& exec, const Net& net, const Digits& tests) {
  int wrong = 0;
  for (int k = 0; k < tests.batches(); ++k) {
    tests.copy(exec, k, net);
    net.forward(exec);
    int found = 0;
    const auto scores = net.scores;
    const auto b = net.b;
    const auto labels = net.labels;
    Kokkos::parallel_reduce(
        "wrong", Kokkos::RangePolicy<Exec>(exec, 0, batch),
        KOKKOS_LAMBDA(const int i, int& sum) {
          int best = 0;
          for (int j = 1; j < classes; ++j) {
            if (scores(i, j) + b(0, j) > scores(i, best) + b(0, best)) best = j;
          }
          sum += best != labels(i) ? 1 : 0;
        },
        found);
    wrong += found;
  }
  return static_cast<double>(wrong) / static_cast<double>(tests.batches() * batch);
}

// Adds an array to a file, as a matrix with its first dimension as rows.
template <class View>
void record(const std::string& file, const std::string& name, const View& view) {
  if (file.empty()) return;
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  const auto rows = static_cast<std::int64_t>(view.extent(0));
  const sx::SeriesShape shape{.samples = rows,
                              .channels = static_cast<std::int64_t>(view.size()) / rows,
                              .type = sx::stored_type<typename View::value_type>,
                              .epochs = {}};
  sx::Hdf5SeriesWriter writer({file, "/" + name}, shape, {}, {.existing = sx::Existing::append});
  writer.write({0, rows}, host.data());
  writer.finish();
}

int run(const examples::Options& options) {
  const Exec exec;
  const std::string file = options["--record"];
  const int epochs = options.number("--epochs", 1);
  const Digits train(0, options.number("--train", batch));
  const Digits tests(static_cast<std::int64_t>(train.labels.size()),
                     options.number("--test", batch));
  const auto* grey = train.images.data();
  const double mean = std::accumulate(grey, grey + train.images.size(), 0.0) /
                      static_cast<double>(train.images.size());
  const Net net(exec, mean, digits::Random(2));
  if (!file.empty()) std::filesystem::remove(file);
  record(file, "images", train.images);
  record(file, "labels", train.labels);
  record(file, "w1", net.first.w);
  record(file, "w2", net.second.w);
  record(file, "w3", net.w);

  const int steps = train.batches() * epochs;
  const Array<float*> losses("losses", steps);
  const double before = error_rate(exec, net, tests);
  const auto start = std::chrono::steady_clock::now();
  for (int step = 0; step < steps; ++step) {
    train.copy(exec, step % train.batches(), net);
    net.forward(exec);
    net.compare(exec, Array<float>(losses.data() + step));
    net.backward(exec);
    net.update(exec);
  }
  exec.fence();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double after = error_rate(exec, net, tests);

  const auto curve = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), losses);
  for (int step = 0; step < steps; ++step) curve(step) /= batch;
  record(file, "losses", curve);
  const HostArray<double*> how("how", 3);
  how(0) = batch;
  how(1) = rate;
  how(2) = mean;
  record(file, "batch_rate_mean", how);

  const int apart = std::max(1, steps / 10);
  for (int step = 0; step < steps; step += apart)
    std::printf("step %4d: loss %.4f\n", step, curve(step));
  std::printf(
      "%d steps of %d images, %.2f ms each; error rate of the test images %.2f %%, then %.2f %%\n",
      steps, batch, seconds * 1e3 / steps, before * 100, after * 100);
  const int some = std::max(1, steps / 5);
  const float last = std::accumulate(curve.data() + steps - some, curve.data() + steps, 0.0F);
  return after < 0.3 && last / static_cast<float>(some) < curve(0) / 2 ? 0 : 1;
}

int main(int argc, char* argv[]) {
  try {
    const sx::Session session(argc, argv);
    const examples::Options options(
        {{"--train", "20000"}, {"--test", "2000"}, {"--epochs", "3"}, {"--record", ""}}, argc,
        argv);
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
