#include "learn/field_roles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "learn/learned_options.h"
#include "learn/synthetic_streams.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;

constexpr size_t kRecordsMin = 200;

/// Records, each with the number of the thing that it is about. A record is a copy if an earlier
/// one is about the same thing.
struct Stream {
  std::vector<std::string> payloads;
  std::vector<size_t> things;

  void Add(const Fields& fields, size_t thing) { AddJson(RecordOf(fields), thing); }
  void AddJson(std::string payload, size_t thing) {
    payloads.push_back(std::move(payload));
    things.push_back(thing);
  }
};

struct Outcome {
  size_t wrong = 0;   ///< joined with a record of another thing
  size_t missed = 0;  ///< copies that are called unique
  size_t copies = 0;
};

/// Learns from the stream with nothing given, and decides it.
Outcome Decide(const Stream& stream) {
  const std::vector<RecordView> records = ViewsOf(stream.payloads);
  const LearnedOptions learned = LearnOptions(records, {}, {}, kRecordsMin);
  for (const std::string& reason : learned.reasons) SCOPED_TRACE(reason);
  Fingerprinter fingerprinter(learned.options);
  const auto filter = Filter::New(learned.options);
  EXPECT_TRUE(filter.ok());
  Outcome outcome;
  std::map<size_t, size_t> seen;
  for (size_t i = 0; i < records.size(); ++i) {
    const Verdict verdict = (*filter)->Decide(fingerprinter.Compute(records[i]));
    EXPECT_NE(verdict.decision, Decision::kDeadLetter) << stream.payloads[i];
    const bool copy = !seen.emplace(stream.things[i], i).second;
    outcome.copies += copy ? 1 : 0;
    if (verdict.decision == Decision::kDuplicate) {
      const auto original = static_cast<size_t>(verdict.match.original.offset);
      outcome.wrong += stream.things[original] != stream.things[i] ? 1 : 0;
    } else {
      outcome.missed += copy ? 1 : 0;
    }
  }
  return outcome;
}

void ExpectNoMistake(const Outcome& outcome) {
  EXPECT_EQ(outcome.wrong, 0U);
  EXPECT_EQ(outcome.missed, 0U);
}

FieldRoles RolesOf(const Stream& stream, const RecordOptions& given = {}) {
  FieldStudy study;
  for (const std::string& payload : stream.payloads) study.Add(payload);
  return ChooseRoles(ViewsOf(stream.payloads), study.Finish(), given);
}

std::string Number(uint64_t number) { return std::to_string(number); }

/// Every tenth record comes again at once, byte for byte.
Stream Redelivered(size_t records, const std::function<std::string(size_t)>& record) {
  Stream stream;
  for (size_t i = 0; i < records; ++i) {
    const std::string payload = record(i);
    stream.AddJson(payload, i);
    if (i % 10 == 9) stream.AddJson(payload, i);
  }
  return stream;
}

std::string Second(size_t i) { return Number(1'760'000'000 + 5 * i); }

TEST(Roles, KeepReadingsOrdersAndPaymentsApart) {
  SeededRandom random(11);
  const auto readings = [&](size_t i) {
    return R"({"sensor":"s)" + Number(random.Below(12)) + R"(","ts":)" + Second(i) +
           R"(,"temperature":)" + Number(10 + random.Below(20)) + "." + Number(random.Below(10)) +
           R"(,"humidity":)" + Number(30 + random.Below(40)) + "}";
  };
  const auto orders = [&](size_t i) {
    return R"({"order_id":"A-)" + Number(50'000 + i) + R"(","customer":"c)" +
           Number(random.Below(80)) + R"(","article":"p)" + Number(random.Below(40)) +
           R"(","quantity":)" + Number(1 + random.Below(4)) + R"(,"created_at":)" + Second(i) + "}";
  };
  const auto payments = [&](size_t i) {
    return R"({"id":")" + LetterWord(1'000'000 + i) + R"(","from":"acc)" +
           Number(random.Below(300)) + R"(","to":"acc)" + Number(random.Below(300)) +
           R"(","amount":)" + Number(random.Below(90)) + R"(.5,"currency":"EUR"})";
  };
  for (const auto& kind :
       {std::function<std::string(size_t)>(readings), std::function<std::string(size_t)>(orders),
        std::function<std::string(size_t)>(payments)}) {
    for (const size_t records : {300U, 5000U}) {
      ExpectNoMistake(Decide(Redelivered(records, kind)));
    }
  }
}

TEST(Roles, FindRowsThatComeAgainUnderAnotherRequest) {
  SeededRandom random(12);
  Stream stream;
  for (size_t i = 0; i < 2000; ++i) {
    const size_t thing = i % 20 == 19 ? i - 7 : i;
    SeededRandom row(thing);
    stream.AddJson(R"({"request":")" + LetterWord(random.Below(1'000'000'000)) +
                       R"(","mirror":"m)" + Number(random.Below(6)) + R"(","package":")" +
                       LetterWord(5000 + thing) + R"(","size":)" + Number(row.Below(1'000'000)) +
                       R"(,"fetched_at":)" + Second(i) + "}",
                   thing);
  }
  const Outcome outcome = Decide(stream);
  ExpectNoMistake(outcome);
  EXPECT_GT(outcome.copies, 50U);
}

/// Offers with a text of their own or of a series, some of which are listed again.
Stream Offers(uint64_t seed) {
  SeededRandom random(seed);
  Stream stream;
  const auto list = [&](size_t thing, const std::string& title, const std::string& text,
                        uint64_t size) {
    stream.AddJson(R"({"offer":)" + Number(10'000'000 + random.Below(80'000'000)) +
                       R"(,"title":")" + title + R"(","size":)" + Number(size) + R"(,"price":)" +
                       Number(100 + random.Below(900)) + R"(.5,"shop":")" +
                       LetterWord(random.Below(30)) + R"(","description":")" + text + R"("})",
                   thing);
  };
  size_t thing = 0;
  for (int series = 0; series < 150; ++series) {
    const std::string name = Phrase(random, 3);
    const std::string text = Phrase(random, 40);
    const size_t variants = random.Chance(300) ? 4 : 1;
    for (size_t variant = 0; variant < variants; ++variant) {
      const std::string title = name + " model " + Number(11 + variant);
      const uint64_t size = random.Below(200);
      ++thing;
      list(thing, title, text, size);
      if (random.Chance(200)) list(thing, title, text, size);
    }
  }
  return stream;
}

TEST(Roles, TellVariantsOfASeriesByTheirTitleAndFindWhatIsListedTwice) {
  const Stream stream = Offers(13);
  const Outcome outcome = Decide(stream);
  ExpectNoMistake(outcome);
  EXPECT_GT(outcome.copies, 20U);
  std::map<std::string, FieldRole> roles;
  for (const StudiedField& field : RolesOf(stream).fields) roles[field.facts.path] = field.role;
  EXPECT_EQ(roles["description"], FieldRole::kText);
  EXPECT_EQ(roles["title"], FieldRole::kKey);
  EXPECT_EQ(roles["size"], FieldRole::kKey);
  for (const char* free : {"offer", "price", "shop"}) {
    EXPECT_EQ(roles[free], FieldRole::kFree) << free;
  }
}

TEST(Roles, DoNotJoinAStandingTextUnderOtherTitles) {
  SeededRandom random(14);
  Stream stream;
  for (size_t i = 0; i < 300; ++i) {
    const bool standing = i % 6 == 0;
    SeededRandom series(i % 3);
    stream.Add({{"guid", LetterWord(900'000 + i)},
                {"title", Phrase(random, 5)},
                {"speaker", Phrase(random, 2)},
                {"notes", standing ? Phrase(series, 30) : Phrase(random, 30)}},
               i);
  }
  EXPECT_EQ(Decide(stream).wrong, 0U);
}

/// Every tenth record comes again at once, with another delivery.
Stream Delivered(size_t records, const std::function<Fields(size_t)>& record) {
  Stream stream;
  for (size_t i = 0; i < records; ++i) {
    Fields fields = record(i);
    for (size_t copy = 0; copy < (i % 10 == 9 ? 2U : 1U); ++copy) {
      Fields delivered = {{"delivery", LetterWord(3'000'000 + 2 * i + copy)}};
      delivered.insert(delivered.end(), fields.begin(), fields.end());
      stream.Add(delivered, i);
    }
  }
  return stream;
}

TEST(Roles, KeepApartWhatSharesAStandingTextAndFindItWhenItIsDeliveredAgain) {
  SeededRandom random(21);
  std::vector<std::string> stock;
  for (int i = 0; i < 20; ++i) stock.push_back(Phrase(random, 14));
  // A notice names its place and its day in fields. Its title names only the place, as one word of
  // five.
  ExpectNoMistake(Decide(Delivered(600, [&](size_t i) {
    const std::string place = LetterWord(i % 120);
    const size_t day = (i % 120 * 37 + i / 120 * 13) % 171;  // each work at a place has its own day
    return Fields{{"title", "Road works planned near " + place},
                  {"place", place},
                  {"from_day", "2026-0" + Number(1 + day % 9) + "-" + Number(10 + day / 9)},
                  {"level", i % 2 == 0 ? "minor" : "major"},
                  {"text", stock[i % 20]}};
  })));
  // A size and a stock number tell the variants of a product apart.
  const Outcome variants = Decide(Delivered(600, [&](size_t i) {
    const size_t product = i / 8;
    return Fields{{"title", "Jacket " + LetterWord(product) + " lined"},
                  {"size", Number(36 + 2 * (i % 8))},
                  {"article", LetterWord(product) + "-" + Number(36 + 2 * (i % 8))},
                  {"text", Phrase(random, 2) + stock[product % 20]}};
  }));
  EXPECT_EQ(variants.wrong, 0U);
  // One to five stars for a course, with a comment of a list.
  const Outcome ratings = Decide(Delivered(1500, [&](size_t) {
    return Fields{{"course", "C" + Number(10 + random.Below(12))},
                  {"stars", Number(1 + random.Below(5))},
                  {"comment", stock[random.Below(20)]}};
  }));
  EXPECT_LE(ratings.wrong, ratings.copies / 100);
}

TEST(Roles, KeepApartWhatAnIdentifierNamesAndFindItUnderAnotherDelivery) {
  SeededRandom random(22);
  std::vector<std::string> stock;
  for (int i = 0; i < 4; ++i) stock.push_back(Phrase(random, 16));
  const auto hash = [&random] {
    return LetterWord(random.Next()) + Number(random.Below(1'000'000));
  };
  // A scanner names what it found by a checksum, beside a text that hundreds share.
  const Outcome findings = Decide(Delivered(700, [&](size_t) {
    return Fields{{"checksum", hash()},
                  {"rule", "R" + Number(random.Below(5))},
                  {"zone", "Z" + Number(random.Below(4))},
                  {"advice", stock[random.Below(4)]}};
  }));
  EXPECT_EQ(findings.wrong, 0U);
  EXPECT_EQ(findings.missed, 0U);
  EXPECT_GT(findings.copies, 50U);
  // Nothing comes again: then there is nothing to join, however few texts there are.
  Stream machines;
  for (size_t i = 0; i < 500; ++i) {
    machines.Add({{"asset", hash()},
                  {"system", "version " + Number(random.Below(3))},
                  {"floor", "F" + Number(random.Below(5))},
                  {"kit", stock[random.Below(3)]}},
                 i);
  }
  EXPECT_EQ(Decide(machines).wrong, 0U);
}

TEST(Roles, JoinTheSameMessageOfAProgramAtAnotherTime) {
  SeededRandom random(26);
  std::vector<std::string> stock;
  for (int i = 0; i < 6; ++i) stock.push_back(Phrase(random, 14));
  Stream logs;
  for (size_t i = 0; i < 400; ++i) {
    const size_t text = random.Below(6);
    const size_t part = random.Below(3);
    logs.Add({{"time", "2026-02-0" + Number(1 + i / 60) + "T10:00:" + Number(10 + i % 50) + "Z"},
              {"severity", text < 2 ? "ERROR" : "WARN"},
              {"part", "P" + Number(part)},
              {"span", LetterWord(random.Next())},
              {"body", stock[text]}},
             3 * text + part);
  }
  const Outcome outcome = Decide(logs);
  EXPECT_EQ(outcome.wrong, 0U);
  EXPECT_EQ(outcome.missed, 0U);
}

TEST(Roles, LeaveOutTheTimeOfADeliveryWhereTheTimeOfTheEventTellsRecordsApart) {
  SeededRandom random(23);
  size_t second = 0;
  Stream doors;
  for (size_t i = 0; i < 600; ++i) {
    const std::string opened = Second(i);
    const std::string door = "D" + Number(random.Below(6));
    const std::string badge = "B" + Number(random.Below(40));
    for (size_t copy = 0; copy < (i % 8 == 7 ? 2U : 1U); ++copy) {
      doors.AddJson(R"({"opened_at":)" + opened + R"(,"door":")" + door + R"(","badge":")" + badge +
                        R"(","received_at":)" + Number(1'770'000'000 + 3 * second++) + "}",
                    i);
    }
  }
  const Outcome outcome = Decide(doors);
  EXPECT_EQ(outcome.wrong, 0U);
  EXPECT_EQ(outcome.missed, 0U);
}

TEST(Roles, WantAgreementInALabelThatMostCopiesShareAndVariantsDoNot) {
  SeededRandom random(24);
  Stream tea;
  const std::vector<std::string> grams = {"50g", "100g", "250g"};
  for (size_t i = 0; i < 500; ++i) {
    const std::string blend = Phrase(random, 12);
    const size_t first = random.Below(3);
    const auto add = [&](size_t size) {
      tea.Add({{"entry", LetterWord(5'000'000 + tea.things.size())},
               {"packed", grams[size % 3]},
               {"description", blend}},
              3 * i + size % 3);
    };
    add(first);
    if (i % 6 == 0) add(first);       // comes again
    if (i % 12 == 1) add(first + 1);  // in another pack
  }
  const Outcome outcome = Decide(tea);
  EXPECT_EQ(outcome.wrong, 0U);
  EXPECT_EQ(outcome.missed, 0U);
}

TEST(Roles, WantAgreementInTheStateAndThePriceOfOffersOfOneArticle) {
  SeededRandom random(31);
  const std::vector<std::string> states = {"fresh", "worn", "mended", "spoilt", "unopened"};
  Stream offers;
  for (size_t i = 0; i < 260; ++i) {
    const std::string title = "Lamp " + LetterWord(3'000'000 + i);
    const std::string text = Phrase(random, 30);
    const uint64_t first = random.Below(5);
    const std::string price = Number(10 + random.Below(900));
    const auto add = [&](uint64_t state, const std::string& cost, const std::string& told,
                         size_t thing) {
      offers.AddJson(R"({"title":")" + title + R"(","state":")" + states[state % 5] +
                         R"(","cost":)" + cost + R"(,"text":")" + told + R"("})",
                     thing);
    };
    add(first, price, text, 2 * i);
    add(first + 1 + random.Below(4), Number(10 + random.Below(900)), text, 2 * i + 1);
    if (i % 6 == 0) add(first, price, text + " again", 2 * i);
  }
  ExpectNoMistake(Decide(offers));
}

TEST(Roles, KeepTheFindingsOfOnePatientFromThoseOfAnother) {
  SeededRandom random(32);
  std::vector<std::string> parts;
  for (int i = 0; i < 12; ++i) parts.push_back(Phrase(random, 7));
  Stream findings;
  for (size_t i = 0; i < 500; ++i) {
    const std::string patient = LetterWord(7'000'000 + i);
    const std::string text = parts[random.Below(4)] + " " + parts[4 + random.Below(4)] + " " +
                             parts[8 + random.Below(4)];
    for (int sent = 0; sent < (i % 5 == 0 ? 2 : 1); ++sent) {
      findings.Add({{"sent", "2026-03-01T10:00:" + Number(10 + findings.things.size() % 50) + "Z"},
                    {"patient", patient},
                    {"text", text}},
                   i);
    }
  }
  const Outcome outcome = Decide(findings);
  ExpectNoMistake(outcome);
  EXPECT_GT(outcome.copies, 90U);
}

TEST(Roles, KeepAnswersToOppositeQuestionsApart) {
  SeededRandom random(33);
  Stream answers;
  for (size_t i = 0; i < 250; ++i) {
    const std::string thing = LetterWord(4'000'000 + i) + " " + LetterWord(random.Below(4000));
    const std::string advice = Phrase(random, 40);
    for (const size_t opposite : {0, 1}) {
      const std::string verb = opposite == 0 ? "open" : "lock";
      const Fields fields = {{"ask", "how do I " + verb + " the " + thing + " at night"},
                             {"answer", advice + " and then " + verb + " it"}};
      answers.Add(fields, 2 * i + opposite);
    }
  }
  EXPECT_EQ(Decide(answers).wrong, 0U);
}

TEST(Roles, TellEqualTransfersByTheIdentifierThatTheirRedeliveriesShare) {
  SeededRandom random(34);
  Stream transfers;
  const auto uuid = [&random] {
    const std::string digits = Number(1'000'000'000'000 + random.Below(8'000'000'000'000));
    return "00000000-0000-4000-8000-" + digits.substr(0, 12);
  };
  for (size_t i = 0; i < 1200; ++i) {
    const std::string transfer = uuid();
    const std::string from = "K" + Number(random.Below(40));
    const std::string to = "K" + Number(random.Below(40));
    const std::string amount = Number(50 * (1 + random.Below(20)));
    for (int sent = 0; sent < (i % 10 == 0 ? 2 : 1); ++sent) {
      transfers.AddJson(R"({"transfer":")" + transfer + R"(","from":")" + from + R"(","to":")" +
                            to + R"(","amount":)" + amount + R"(,"received_at":)" +
                            Second(transfers.things.size()) + "}",
                        i);
    }
  }
  const Outcome outcome = Decide(transfers);
  ExpectNoMistake(outcome);
  EXPECT_EQ(outcome.copies, 120U);
}

TEST(Roles, DoNotJoinFilledInFormsInASmallFileOrAmongOtherTexts) {
  const std::vector<std::string> names = {"Ada",  "Boris", "Clara", "Dev",  "Elif",
                                          "Fumi", "Goran", "Hana",  "Igor", "Jun"};
  const std::vector<std::string> hours = {"six", "seven", "eight", "nine", "ten"};
  const auto form = [&](SeededRandom& random) {
    return "Dear colleagues, " + random.Pick(names) + " from the second floor will be away from " +
           random.Pick(hours) + " to " + random.Pick(hours) + " o'clock. Please call " +
           random.Pick(names) + " or leave a message at the desk beside the main entrance.";
  };
  for (const size_t texts : {size_t{0}, size_t{120}}) {
    SeededRandom random(25);
    Stream mails;
    std::map<std::string, size_t> seen;
    for (size_t i = 0; i < 70 + texts; ++i) {
      const std::string text = i < texts ? Phrase(random, 40) : form(random);
      mails.Add({{"mail", LetterWord(7'000'000 + i)}, {"body", text}},
                seen.emplace(text, i).first->second);
    }
    EXPECT_EQ(Decide(mails).wrong, 0U) << texts << " other texts";
  }
}

TEST(Roles, TakeTheDateOfAMatchAsContent) {
  SeededRandom random(22);
  ExpectNoMistake(Decide(Delivered(500, [&](size_t i) {
    const std::string home = LetterWord(i % 120);
    const std::string away = LetterWord(500 + i % 120);
    return Fields{
        {"season", Number(2022 + i / 120)},
        {"match_date", Number(2022 + i / 120) + "-0" + Number(1 + i % 9) + "-1" + Number(i % 7)},
        {"home", home},
        {"report", home + " town has lost to " + away + " city one to nothing."}};
  })));
}

TEST(Roles, CompareEventsWithoutATextByAllTheyHave) {
  SeededRandom random(15);
  Stream stream;
  for (size_t i = 0; i < 500; ++i) {
    const bool post = random.Chance(700);
    Fields event = {{"event_id", LetterWord(700'000 + i)},
                    {"user", "u" + Number(random.Below(20))},
                    {"type", post ? "post" : "joined"}};
    if (post) event.emplace_back("text", Phrase(random, 20));
    stream.Add(event, i);
    if (random.Chance(50)) stream.Add(event, i);
  }
  ExpectNoMistake(Decide(stream));
}

TEST(Roles, CompareTwoSchemasOnOneTopicEachByItsOwnFields) {
  SeededRandom random(16);
  Stream stream;
  for (size_t i = 0; i < 600; ++i) {
    SeededRandom text(i % 12 == 11 ? i - 5 : i);
    const size_t thing = i % 12 == 11 ? i - 5 : i;
    const bool first = thing % 4 != 0;
    stream.Add({{"id", "r" + Number(i)},
                {first ? "title" : "headline", Phrase(text, 6)},
                {first ? "text" : "body", Phrase(text, 30)}},
               thing);
  }
  ExpectNoMistake(Decide(stream));
}

TEST(Roles, FindAnArticleOnAnotherSiteUnderALongerTitle) {
  SeededRandom random(17);
  Stream stream;
  for (size_t i = 0; i < 300; ++i) {
    const std::string title = Phrase(random, 7);
    const std::string text = Phrase(random, 60);
    stream.Add({{"site", "wire"}, {"section", "world"}, {"title", title}, {"text", text}}, i);
    if (!random.Chance(200)) continue;
    stream.Add({{"site", LetterWord(random.Below(40)) + " herald"},
                {"section", random.Chance(500) ? "local" : "business"},
                {"title", "update " + title},
                {"text", text + " all rights reserved"}},
               i);
  }
  ExpectNoMistake(Decide(stream));
}

TEST(Roles, DoNotJoinHeadingsThatComeAgain) {
  SeededRandom random(18);
  Stream stream;
  const char* headings[] = {"Editorial", "In this issue", "Letters to our readers"};
  for (size_t i = 0; i < 500; ++i) {
    const bool heading = i % 5 == 0;
    stream.Add({{"title", heading ? headings[random.Below(3)] : Phrase(random, 9)},
                {"author", Phrase(random, 2)},
                {"year", Number(2010 + random.Below(12))}},
               i);
  }
  EXPECT_EQ(Decide(stream).wrong, 0U);
}

TEST(Roles, FindTheSameMessageInArraysAtAnotherTime) {
  SeededRandom random(19);
  std::vector<std::string> messages;
  for (int i = 0; i < 8; ++i) messages.push_back(Phrase(random, 12));
  Stream stream;
  for (size_t i = 0; i < 400; ++i) {
    const size_t message = random.Below(8);
    stream.AddJson(R"({"batch":[{"scope":"app","items":[{"timeUnixNano":")" +
                       Number(1'760'000'000'000'000'000 + i) + R"(","spanId":")" +
                       LetterWord(90'000'000 + i) + R"(","severity":"WARN","body":")" +
                       messages[message] + R"("}]}]})",
                   message);
  }
  ExpectNoMistake(Decide(stream));
}

TEST(Roles, AreTheSameInEachOrderOfTheRecords) {
  Stream stream = Offers(20);
  const auto learned = [&] { return LearnOptions(ViewsOf(stream.payloads), {}, {}, kRecordsMin); };
  const FilterOptions first = learned().options;
  SeededRandom random(1);
  for (int order = 0; order < 3; ++order) {
    for (size_t i = stream.payloads.size(); i > 1; --i) {
      std::swap(stream.payloads[i - 1], stream.payloads[random.Below(i)]);
    }
    const FilterOptions again = learned().options;
    EXPECT_EQ(again.record, first.record);
    EXPECT_EQ(again.match, first.match);
  }
}

TEST(Roles, NeverLeaveOutOrCompareWhatAPersonExcludes) {
  RecordOptions given;
  given.exclude = {"title"};
  const FieldRoles roles = RolesOf(Offers(21), given);
  EXPECT_EQ(roles.record.exclude, given.exclude);
  EXPECT_FALSE(IsSelected(roles.record, "title"));
}

/// Wares with a text of their own. Some are listed again at once, and `others_per_mille` of these
/// wares in another size.
Stream Wares(uint64_t seed, uint64_t others_per_mille) {
  SeededRandom random(seed);
  const char* sizes[] = {"small", "medium", "large"};
  Stream stream;
  for (size_t i = 0; i < 600; ++i) {
    const std::string title = Phrase(random, 5);
    const std::string text = Phrase(random, 40);
    const uint64_t size = random.Below(3);
    const auto list = [&](uint64_t as, size_t thing) {
      stream.Add({{"listing", LetterWord(8'000'000 + stream.things.size())},
                  {"title", title},
                  {"size", sizes[as % 3]},
                  {"text", text}},
                 thing);
    };
    list(size, 2 * i);
    if (!random.Chance(300)) continue;
    const bool other = random.Chance(others_per_mille);
    list(other ? size + 1 : size, other ? 2 * i + 1 : 2 * i);
  }
  return stream;
}

TEST(Roles, AskWhetherAFieldThatTellsCopiesApartMatters) {
  const Stream stream = Wares(22, 100);
  const FieldRoles roles = RolesOf(stream);
  EXPECT_STREQ(UseOf(roles.record, "size"), "must agree");
  EXPECT_STREQ(UseOf(roles.record, "listing"), "may differ");
  ASSERT_EQ(roles.questions.size(), 1U);
  const FieldQuestion& question = roles.questions[0];
  EXPECT_THAT(question.text, HasSubstr("share their text with an earlier one, but differ in size"));
  EXPECT_EQ(question.answer, "--free size");
  const auto thing = [&](Position at) { return stream.things[static_cast<size_t>(at.offset)]; };
  EXPECT_LT(question.earlier.offset, question.later.offset);
  EXPECT_EQ(thing(question.earlier) + 1, thing(question.later)) << "an example";
  const Outcome outcome = Decide(stream);
  ExpectNoMistake(outcome);
  EXPECT_GT(outcome.copies, 100U);
}

TEST(Roles, AskNothingWhereCopiesAgreeInAllThatMustAgree) {
  const FieldRoles roles = RolesOf(Wares(23, 0));
  EXPECT_STREQ(UseOf(roles.record, "size"), "must agree");
  EXPECT_TRUE(roles.questions.empty());
}

TEST(Roles, WantAgreementInALabelThatAlwaysDiffersBesideOneText) {
  const Stream stream = Wares(24, 1000);
  const FieldRoles roles = RolesOf(stream);
  EXPECT_STREQ(UseOf(roles.record, "size"), "must agree");
  EXPECT_EQ(Decide(stream).wrong, 0U);
  ASSERT_EQ(roles.questions.size(), 1U);
  EXPECT_EQ(roles.questions[0].answer, "--free size");
}

TEST(UseOf, SaysHowTheDeepestSelectorUsesAField) {
  RecordOptions record;
  record.fields = {{"text"}, {"", 1.0, true}, {"/meta/site", 1.0, false, true}};
  record.exclude = {"/meta/id"};
  EXPECT_STREQ(UseOf(record, "text"), "compared");
  EXPECT_STREQ(UseOf(record, "/meta/site"), "may differ");
  EXPECT_STREQ(UseOf(record, "/meta/other"), "must agree");
  EXPECT_STREQ(UseOf(record, "/meta/id"), "left out");
}

}  // namespace
}  // namespace neardup
