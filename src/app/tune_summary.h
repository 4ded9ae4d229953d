// What `tune` found, for a terminal and for programs.
#pragma once

#include <string>

#include "app/tune_files.h"
#include "learn/tuning.h"

namespace neardup {

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
