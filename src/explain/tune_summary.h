// What `neardup tune` found, in words: for the terminal and for programs, and the sentences that
// the page and the configuration file repeat.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "learn/drift.h"
#include "learn/settings_change.h"
#include "learn/tuning.h"

namespace neardup {

/// What `tune` reads and writes.
struct TuneFiles {
  std::string sample;  ///< the file or topic that the records come from
  std::string given;   ///< the configuration file that was given; empty if none was
  std::filesystem::path config;
  std::filesystem::path model;
  std::filesystem::path page;
};

/// Returns the whole result as text for the terminal.
std::string TuneText(const Tuning& tuning, const TuneFiles& files);
/// Returns the whole result as a JSON object. Its keys are stable; the texts in it are not.
std::string TuneJson(const Tuning& tuning, const TuneFiles& files);

/// Sentences without a full stop at their end.
std::string ModeText(const Tuning& tuning);        ///< mode and distance
std::string MeasuredText(const Tuning& tuning);    ///< what planted copies say of the proposal
std::string SampleText(const Tuning& tuning);      ///< records, repeats, dead letters
std::string NearCopiesText(const Tuning& tuning);  ///< how many records have a near copy
std::string ChanceText(
    const Tuning& tuning);  ///< how many unrelated records would match; empty: unknown
/// How the marked pairs come out, what they have changed, and what they say too little about.
std::string LabelsText(const LabelledChoice& labelled);
std::string PercentText(double share);  ///< 0.08 -> "8 %"
/// What a person can do besides giving the option that answers a question.
inline constexpr const char* kMarksText =
    "or mark pairs of records as copies or not, and let them decide: neardup tune --cases FILE";

/// A setting that `tune` proposes besides fields and distance.
struct TuneProposal {
  const char* name;     ///< one word
  const char* setting;  ///< path of the setting that it changes
  std::string text;     ///< what is proposed, and why
};
/// Only settings that differ from those that were given.
std::vector<TuneProposal> ProposalsOf(const Tuning& tuning);

/// A doubt about a field that was given to be compared; empty: none.
std::string DoubtAbout(const Tuning& tuning, const StudiedField& field);

// What `neardup tune --compare` found, in words: for the terminal and for programs.

struct TuneComparison {
  std::string config;   ///< the file that was compared
  std::string sample;   ///< the file or topic that the records come from
  size_t records = 0;   ///< of the sample
  std::string no_tune;  ///< why nothing can be tuned from the sample; empty: it can
  std::vector<SettingsChange> changes;
  /// Against the sample that the settings were chosen from; nothing if they come with no profile of
  /// it, or if settings were changed since.
  std::optional<std::vector<AspectDrift>> drift;
};

/// Whether the settings no longer fit the stream.
bool Matters(const TuneComparison& comparison);

/// Returns the whole result as text for the terminal.
std::string ComparisonText(const TuneComparison& comparison);
/// Returns the whole result as a JSON object. Its keys are stable; the texts in it are not.
std::string ComparisonJson(const TuneComparison& comparison);

}  // namespace neardup
