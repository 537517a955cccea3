/// Sets of ops.
#include "generator/manifest/library.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/catch.h"
#include "tests/generator/manifest_support.h"

namespace tilejit::manifest {
namespace {

/// A folder that lives as long as a test.
class Folder {
public:
    Folder() {
        std::string path = (std::filesystem::temp_directory_path() / "tilejit_manifests_XXXXXX").string();
        REQUIRE(mkdtemp(path.data()) != nullptr);
        path_ = path;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

TEST_CASE("the in-tree ops are found by name, from any thread") {
    CHECK(builtin_manifests().ops() == std::vector<std::string>{"MHCPostFwdOp", "MHCPreFwdOp"});
    const Manifest* found[4] = {};
    std::vector<std::thread> threads;
    for (const Manifest*& slot : found) {
        threads.emplace_back([&slot] { slot = &find_manifest("MHCPreFwdOp"); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const Manifest* slot : found) {
        CHECK(slot == found[0]);
    }
}

TEST_CASE("an unknown op lists the known ones") {
    CHECK_THROWS_WITH(find_manifest("MHCPre"), "found the op \"MHCPre\", expected one of MHCPostFwdOp, MHCPreFwdOp");
    CHECK_THROWS_AS(find_manifest(""), OpNotAvailable);
    CHECK(builtin_manifests().find_if_known("MHCPre") == nullptr);
}

TEST_CASE("a folder's manifests are added, its schema and other files are not") {
    const Folder folder;
    folder.write("b.json", test::toy_with("/op", "\"OpB\""));
    folder.write("a.json", test::toy_with("/op", "\"OpA\""));
    folder.write("op.schema.json", "not a manifest");
    folder.write("notes.txt", "not a manifest");
    Library library = builtin_manifests();
    const Manifest* before = &library.find("MHCPreFwdOp");
    library.add_directory(folder.path());
    CHECK(library.ops() == std::vector<std::string>{"MHCPostFwdOp", "MHCPreFwdOp", "OpA", "OpB"});
    CHECK(library.find("OpA").file == folder.path() + "/a.json");
    CHECK(&library.find("MHCPreFwdOp") == before);
}

TEST_CASE("an op that two files describe names both, and nothing is added") {
    const Folder folder;
    folder.write("a.json", test::kToyManifest);
    folder.write("b.json", test::toy_with("/doc", "\"again\""));
    Library library;
    CHECK_THROWS_WITH(library.add_directory(folder.path()), folder.path() + "/b.json: /op: found \"ToyOp\", which " +
                                                                folder.path() +
                                                                "/a.json describes already, expected another op");
    CHECK(library.ops().empty());
}

TEST_CASE("a folder that cannot be read, or a bad manifest in it") {
    Library library;
    CHECK_THROWS_WITH(library.add_directory("/nowhere"),
                      "/nowhere: found no folder that can be read (No such file or directory), expected one with op "
                      "manifests");
    const Folder folder;
    folder.write("a.json", test::kToyManifest);
    folder.write("b.json", "{");
    CHECK_THROWS_AS(library.add_directory(folder.path()), ManifestError);
    CHECK(library.ops().empty());
}

}  // namespace
}  // namespace tilejit::manifest
