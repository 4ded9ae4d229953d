#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "detect/base/temporary_folder.h"
#include "service/metrics/hand_clock.h"
#include "service/metrics/http_client.h"
#include "service/metrics/http_server.h"

namespace neardup {
namespace {

using testing::HasSubstr;

/// Writes a self-signed certificate with this name, and its key.
void WriteCertificate(const std::filesystem::path& folder, const std::string& name) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"),
                                                                &EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), &X509_free);
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), subject);
  ASSERT_GT(X509_sign(certificate.get(), key.get(), EVP_sha256()), 0);
  std::FILE* file = std::fopen((folder / "tls.crt").c_str(), "w");
  ASSERT_EQ(PEM_write_X509(file, certificate.get()), 1);
  std::fclose(file);
  file = std::fopen((folder / "tls.key").c_str(), "w");
  ASSERT_EQ(PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr), 1);
  std::fclose(file);
}

class HttpsTest : public testing::Test {
 protected:
  void SetUp() override { WriteCertificate(folder_, "first"); }

  HttpOptions Tls() const {
    HttpOptions options;
    options.host = "127.0.0.1";
    options.port = 0;
    options.tls_certificate_path = folder_ / "tls.crt";
    options.tls_key_path = folder_ / "tls.key";
    return options;
  }

  Result<void> Start(const HttpOptions& options) {
    const HttpPages pages = {[] { return std::string(1 << 20, 'm'); }, [] { return "{}\n"; }, "a"};
    NEARDUP_ASSIGN(server_, HttpServer::Start(options, pages, health_));
    return {};
  }

  /// Status and body of a page; `user` and `password` only if there is a user.
  std::pair<int, std::string> Get(const std::string& scheme, const std::string& path,
                                  const std::string& user = {}, const std::string& password = {}) {
    httplib::Client client(scheme + "://127.0.0.1:" + std::to_string(server_->port()));
    client.enable_server_certificate_verification(false);
    if (!user.empty()) client.set_basic_auth(user.c_str(), password.c_str());
    const httplib::Result result = client.Get(path.c_str());
    if (!result) return {0, httplib::to_string(result.error())};
    return {result->status, result->body};
  }

  /// The name in the certificate that the server shows.
  std::string ShownName() {
    std::string name;
    httplib::SSLClient client("127.0.0.1", server_->port());
    client.enable_server_certificate_verification(false);
    // The handshake verifies nothing, but lets the context see the certificate.
    SSL_CTX_set_verify(client.ssl_context(), SSL_VERIFY_NONE, nullptr);
    SSL_CTX_set_cert_verify_callback(
        client.ssl_context(),
        [](X509_STORE_CTX* context, void* to) {
          char text[100] = "";
          X509_NAME_get_text_by_NID(X509_get_subject_name(X509_STORE_CTX_get0_cert(context)),
                                    NID_commonName, text, sizeof(text));
          *static_cast<std::string*>(to) = text;
          return 1;
        },
        &name);
    EXPECT_TRUE(client.Get("/healthz"));
    return name;
  }

  const TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
  HandClock clock_;
  Health health_{clock_, {.step_ms_max = 30'000}};
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpsTest, OurClientConnectsOverTls) {
  ASSERT_TRUE(Start(Tls()).ok());
  const std::string address = "://127.0.0.1:" + std::to_string(server_->port()) + "/metrics";
  const auto answer = HttpGet("https" + address, 60);
  ASSERT_TRUE(answer.ok()) << answer.error().text;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, std::string(1 << 20, 'm'));
  EXPECT_FALSE(HttpGet("http" + address, 60).ok());
}

TEST_F(HttpsTest, ServesEveryPageByTlsAndNoneInPlainText) {
  ASSERT_TRUE(Start(Tls()).ok());
  EXPECT_EQ(Get("https", "/metrics"), std::pair(200, std::string(1 << 20, 'm')));
  EXPECT_EQ(Get("https", "/healthz").first, 200);
  EXPECT_EQ(Get("http", "/metrics").first, 0);
  EXPECT_EQ(Get("https", "/status").second, "{}\n");
}

TEST_F(HttpsTest, ConnectionsThatDoNotBeginTlsKeepNobodyOut) {
  ASSERT_TRUE(Start(Tls()).ok());
  std::vector<int> sockets;
  for (int i = 0; i < 100; ++i) {
    sockets.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(sockets.back(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    if (i % 2 == 0) {
      EXPECT_EQ(send(sockets.back(), "\x16\x03\x01", 3, MSG_NOSIGNAL), 3);
    }
  }
  EXPECT_EQ(Get("https", "/healthz").first, 200);
  for (const int each : sockets) close(each);
}

TEST_F(HttpsTest, ANewCertificateIsShownWithoutARestart) {
  ASSERT_TRUE(Start(Tls()).ok());
  EXPECT_EQ(ShownName(), "first");
  WriteCertificate(folder_, "the second");
  EXPECT_EQ(ShownName(), "the second");
  std::ofstream(folder_ / "tls.key") << "half of a key";
  EXPECT_EQ(ShownName(), "the second");
}

TEST_F(HttpsTest, ACertificateThatCannotBeUsedIsAnErrorThatNamesTheFile) {
  HttpOptions options = Tls();
  options.tls_certificate_path = folder_ / "other.crt";
  const Result<void> missing = Start(options);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kConfig);
  EXPECT_THAT(missing.error().text, HasSubstr("other.crt"));

  std::filesystem::create_directories(folder_ / "other");
  WriteCertificate(folder_ / "other", "other");
  options = Tls();
  options.tls_key_path = folder_ / "other" / "tls.key";
  const Result<void> foreign = Start(options);
  ASSERT_FALSE(foreign.ok());
  EXPECT_THAT(foreign.error().text, HasSubstr("other/tls.key"));
}

TEST_F(HttpsTest, MetricsAndStatusAskForThePasswordAndProbesDoNot) {
  HttpOptions options;
  options.host = "127.0.0.1";
  options.port = 0;
  options.user = "scraper";
  options.password = "wQ7 :secret";
  ASSERT_TRUE(Start(options).ok());
  for (const char* page : {"/metrics", "/status"}) {
    EXPECT_EQ(Get("http", page).first, 401) << page;
    EXPECT_EQ(Get("http", page, "scraper", "wQ7 :secreT").first, 401) << page;
    EXPECT_EQ(Get("http", page, "scraper", "").first, 401) << page;
    EXPECT_EQ(Get("http", page, "other", "wQ7 :secret").first, 401) << page;
    EXPECT_EQ(Get("http", page, "scraper", "wQ7 :secret").first, 200) << page;
  }
  EXPECT_EQ(Get("http", "/healthz").first, 200);
  EXPECT_NE(Get("http", "/readyz").first, 401);
  EXPECT_THAT(Get("http", "/metrics").second, Not(HasSubstr("wQ7")));
}

}  // namespace
}  // namespace neardup
