#include "fingerprint/md5.h"

#include <openssl/evp.h>

#include <array>
#include <new>

namespace neardup {
namespace {

using Bytes = std::array<unsigned char, 16>;

bool Digest(std::string_view bytes, Bytes& digest) {
  return EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_md5(), nullptr) == 1;
}

uint64_t ReadWord(const Bytes& bytes, size_t begin) {
  uint64_t word = 0;
  for (size_t i = 0; i < 8; ++i) word |= uint64_t{bytes[begin + i]} << (8 * i);
  return word;
}

}  // namespace

bool Md5IsOffered() {
  Bytes digest;
  return Digest("", digest);
}

Md5Digest Md5(std::string_view bytes) {
  Bytes digest;
  // Where MD5 is offered only memory can fail.
  if (!Digest(bytes, digest)) throw std::bad_alloc();
  return {ReadWord(digest, 0), ReadWord(digest, 8)};
}

}  // namespace neardup
