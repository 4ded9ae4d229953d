// The commands of the program. Each is one file, NAME_command.cc, that holds its options, its
// examples and what it does. A new command also needs an entry in both lists below: the
// declarations and kCommands. program.cc adds version, completion, manual and help.
#pragma once

#include "commands/program/command_line.h"

namespace neardup {

void AddRun(CommandLine& line);
void AddFilter(CommandLine& line);
void AddTune(CommandLine& line);
void AddEvaluate(CommandLine& line);
void AddExplain(CommandLine& line);
void AddTest(CommandLine& line);
void AddGenerate(CommandLine& line);
void AddDemo(CommandLine& line);
void AddReport(CommandLine& line);
void AddVerify(CommandLine& line);
void AddReplay(CommandLine& line);
void AddReset(CommandLine& line);
void AddReindex(CommandLine& line);
void AddImport(CommandLine& line);
void AddLanes(CommandLine& line);
void AddSnapshot(CommandLine& line);
void AddValidate(CommandLine& line);
void AddConfigCommands(CommandLine& line);
void AddHealthcheck(CommandLine& line);
void AddMonitoring(CommandLine& line);

/// In the order of the help.
inline constexpr void (*kCommands[])(CommandLine&) = {
    AddRun,      AddFilter,   AddTune,           AddEvaluate,    AddExplain,
    AddTest,     AddGenerate, AddDemo,           AddReport,      AddVerify,
    AddReplay,   AddReset,    AddReindex,        AddImport,      AddLanes,
    AddSnapshot, AddValidate, AddConfigCommands, AddHealthcheck, AddMonitoring};

}  // namespace neardup
