// What `tune` was given and what it writes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "learn/tuning.h"

namespace neardup {

struct TuneFiles {
  std::string sample;  ///< the file or topic the records are from
  std::string given;   ///< the configuration that was given; empty: none
  std::filesystem::path config;
  std::filesystem::path model;
  std::filesystem::path page;
};

// What `tune` proposes besides fields and a distance, each with its reason, in words.

struct TuneProposal {
  const char* name;     ///< one word
  const char* setting;  ///< path of the setting it is written into
  std::string text;
};

/// Only what differs from what was given; in the order of the settings.
std::vector<TuneProposal> ProposalsOf(const Tuning& tuning);

// What `tune` found, for a terminal and for programs.

std::string TuneText(const Tuning& tuning, const TuneFiles& files);
std::string TuneJson(const Tuning& tuning, const TuneFiles& files);

/// One line each, also for the page and the configuration file.
std::string ModeText(const Tuning& tuning);        ///< near, distance_max 9
std::string SureText(const Tuning& tuning);        ///< how far the halves of the sample agree
std::string SampleText(const Tuning& tuning);      ///< records, repeats, dead letters
std::string NearText(const Tuning& tuning);        ///< how many records have a near copy
std::string FalseMatchText(const Tuning& tuning);  ///< what to expect of unrelated records
std::string PercentText(double share);

/// What speaks against a field that was given to be compared; empty: nothing.
std::string DoubtAbout(const Tuning& tuning, const StudiedField& field);

}  // namespace neardup
