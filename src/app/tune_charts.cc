#include "app/tune_charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace neardup {
namespace {

constexpr double kWidth = 860;
constexpr double kLeft = 20;
constexpr double kTop = 58;
constexpr double kBottom = 300;
constexpr double kHeight = 350;
constexpr size_t kBinsMin = 24;

std::string Number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::string Text(double x, double y, const char* anchor, const char* colour,
                 const std::string& text) {
  return "<text x=\"" + Number(x) + "\" y=\"" + Number(y) + "\" text-anchor=\"" + anchor +
         "\" fill=\"var(--" + colour + ")\">" + text + "</text>\n";
}

class Histogram {
 public:
  explicit Histogram(const Tuning& tuning)
      : bins_(tuning.calibration.structure.nearest), chosen_(tuning.proposed.match.distance_max) {
    // Without a distance only equal records are joined, and those are not in here.
    if (chosen_ == 0) chosen_ = -1;
    const auto last = std::find_if(bins_.rbegin(), bins_.rend(), [](uint32_t n) { return n > 0; });
    shown_ = std::max(kBinsMin, bins_.size() - static_cast<size_t>(last - bins_.rbegin()) + 1);
    shown_ = std::min(shown_, bins_.size());
    step_ = (kWidth - 2 * kLeft) / static_cast<double>(shown_);
    most_ = std::max(1.0, static_cast<double>(*std::max_element(bins_.begin(), bins_.end())));
  }

  /// Left edge of a bin.
  double x(double bin) const { return kLeft + step_ * bin; }

  std::string Bars() const {
    std::string svg;
    for (size_t bin = 0; bin < shown_; ++bin) {
      // Heights by the square root, or few copies would not show beside many other records.
      const double height = (kBottom - kTop) * std::sqrt(bins_[bin] / most_);
      const bool near = static_cast<int>(bin) <= chosen_;
      const double middle = x(static_cast<double>(bin) + 0.5);
      const std::string count = std::to_string(bins_[bin]);
      svg += "<rect x=\"" + Number(middle - step_ * 0.42) + "\" y=\"" + Number(kBottom - height) +
             "\" width=\"" + Number(step_ * 0.84) + "\" height=\"" + Number(height) +
             "\" rx=\"2\" fill=\"var(--" + (near ? "near" : "other") + ")\"><title>" + count +
             " records at " + std::to_string(bin) + " bits</title></rect>\n";
      if (bins_[bin] > 0) svg += Text(middle, kBottom - height - 4, "middle", "muted", count);
      svg += Text(middle, kBottom + 16, "middle", "muted", std::to_string(bin));
    }
    return svg;
  }

  /// The line right of the largest distance that is accepted, named.
  std::string Choice() const {
    const double at = x(chosen_ + 1.0);
    return "<line x1=\"" + Number(at) + "\" y1=\"26\" x2=\"" + Number(at) + "\" y2=\"" +
           Number(kBottom) + "\" stroke=\"var(--choice)\" stroke-width=\"2\"/>\n" +
           Text(at + 6, 36, "start", "choice",
                chosen_ < 0
                    ? "only equal records are joined"
                    : "distance_max " + std::to_string(chosen_) + ": left of this line is joined");
  }

  /// A mark below the axis.
  std::string Mark(int bin, const std::string& name) const {
    if (bin >= static_cast<int>(shown_)) return "";
    const double middle = x(bin + 0.5);
    return "<path d=\"M" + Number(middle) + " " + Number(kBottom + 20) + " l5 8 h-10 z\" " +
           "fill=\"var(--ink)\"/>\n" + Text(middle, kBottom + 42, "middle", "ink", name);
  }

 private:
  const std::vector<uint32_t>& bins_;
  int chosen_;
  size_t shown_ = 0;
  double step_ = 0;
  double most_ = 1;
};

}  // namespace

std::string NearestChart(const Tuning& tuning) {
  const Histogram histogram(tuning);
  const Gap& gap = tuning.calibration.gap;
  std::string svg = "<svg viewBox=\"0 0 " + Number(kWidth) + " " + Number(kHeight) +
                    "\" role=\"img\" font-size=\"11\" aria-label=\"Histogram of the distance of "
                    "each record to the nearest before it\">\n";
  svg += "<line x1=\"" + Number(kLeft) + "\" y1=\"" + Number(kBottom) + "\" x2=\"" +
         Number(kWidth - kLeft) + "\" y2=\"" + Number(kBottom) + "\" stroke=\"var(--grid)\"/>\n";
  svg += histogram.Bars() + histogram.Choice();
  if (tuning.calibration.mode == MatchMode::kNear && gap.at < gap.unrelated) {
    svg += histogram.Mark(gap.at, "emptiest place");
  }
  svg += histogram.Mark(gap.unrelated, "unrelated records");
  return svg + "</svg>\n";
}

}  // namespace neardup
