#include "bench/hash_function.h"

#include <absl/hash/internal/city.h>
#include <murmurhash.h>
#include <openssl/evp.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/hash.h"
#include "bench/classic_hash.h"

namespace neardup {
namespace {

/// MD5 at its fastest: looks up the algorithm once and keeps the context.
class Md5 {
 public:
  Md5() : algorithm_(EVP_MD_fetch(nullptr, "MD5", nullptr)), context_(EVP_MD_CTX_new()) {
    if (algorithm_ == nullptr || context_ == nullptr) Die();
  }
  Md5(const Md5&) = delete;
  Md5& operator=(const Md5&) = delete;
  ~Md5() {
    EVP_MD_CTX_free(context_);
    EVP_MD_free(algorithm_);
  }

  Digest operator()(std::string_view bytes) {
    unsigned char out[16];
    unsigned size = 0;
    if (EVP_DigestInit_ex2(context_, algorithm_, nullptr) != 1 ||
        EVP_DigestUpdate(context_, bytes.data(), bytes.size()) != 1 ||
        EVP_DigestFinal_ex(context_, out, &size) != 1 || size != sizeof out) {
      Die();
    }
    Digest digest;
    std::memcpy(&digest.low, out, 8);
    std::memcpy(&digest.high, out + 8, 8);
    return digest;
  }

 private:
  [[noreturn]] static void Die() {
    std::fputs("bench_hash: OpenSSL offers no MD5; perhaps it is set up for FIPS only\n", stderr);
    std::exit(EXIT_FAILURE);
  }

  EVP_MD* algorithm_;
  EVP_MD_CTX* context_;
};

Digest Md5Hash(std::string_view bytes) {
  static Md5 md5;
  return md5(bytes);
}

/// CityHash 1.1 as Abseil contains it: Debian has no package of the original.
uint64_t CityHash(std::string_view bytes) {
  return absl::hash_internal::CityHash64(bytes.data(), bytes.size());
}

uint32_t Murmur32(std::string_view bytes) {
  uint32_t out = 0;
  lmmh_x86_32(bytes.data(), static_cast<unsigned>(bytes.size()), 0, &out);
  return out;
}

Digest Murmur128(std::string_view bytes) {
  uint64_t out[2];
  lmmh_x64_128(bytes.data(), static_cast<unsigned>(bytes.size()), 0, out);
  return {out[0], out[1]};
}

uint64_t Xxh3(std::string_view bytes) { return Hash64(bytes); }

Digest ToDigest(uint64_t value) { return {value, 0}; }
Digest ToDigest(const Digest& digest) { return digest; }

template <auto Hash>
constexpr HashFunction Entry(const char* name, int bits) {
  return {name, bits, [](std::string_view text) { return ToDigest(Hash(text)); },
          [](std::span<const std::string_view> texts) {
            uint64_t sum = 0;
            for (const std::string_view text : texts) sum += ToDigest(Hash(text)).low;
            return sum;
          }};
}

constexpr HashFunction kFunctions[] = {
    Entry<ElfHash>("ELF", 28),         Entry<PjwHash>("PJW", 28),
    Entry<RsHash>("RS", 32),           Entry<JsHash>("JS", 32),
    Entry<BkdrHash>("BKDR", 32),       Entry<SdbmHash>("SDBM", 32),
    Entry<DjbHash>("DJB", 32),         Entry<ApHash>("AP", 32),
    Entry<Md5Hash>("MD5", 128),        Entry<CityHash>("CityHash64", 64),
    Entry<Murmur32>("Murmur3_32", 32), Entry<Murmur128>("Murmur3_128", 128),
    Entry<Xxh3>("XXH3", 64),
};

}  // namespace

std::span<const HashFunction> HashFunctions() { return kFunctions; }

}  // namespace neardup
