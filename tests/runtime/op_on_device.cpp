/// \file Ops on a pretended GPU: real manifests, generator and NVRTC over a driver that keeps a diary.
#include <thread>

#include "generator/manifest/library.h"
#include "runtime/op/op_impl.h"
#include "tests/catch.h"
#include "tests/runtime/fake_driver.h"
#include "tests/runtime/op_tensors.h"
#include "tests/runtime/temporary_folder.h"

using namespace tilejit;
using testing::FakeDriver;
using testing::OpTensors;
using testing::stream_number;

namespace {

struct Fixture {
    testing::TemporaryFolder scratch;
    FakeDriver fake;
    bool has_nvrtc = true;
    int compiler_loads = 0;
    std::shared_ptr<Runtime> runtime = make_runtime();
    const cuda::Context callers = FakeDriver::context_of(99);

    Fixture() { fake.contexts = {callers}; }

    std::shared_ptr<Runtime> make_runtime() {
        return std::make_shared<Runtime>(RuntimeOptions{
            .load_driver = [this] { return fake.api(); },
            .load_nvrtc =
                [this] {
                    ++compiler_loads;
                    return has_nvrtc ? load_nvrtc() : load_nvrtc({"/absent/libnvrtc.so"});
                },
            .cache_folder = scratch.path(),
        });
    }

    Op make(const std::string& name, std::string_view target = {}) {
        const manifest::Manifest& manifest = manifest::find_manifest(name);
        return OpAccess::make({std::shared_ptr<void>(), &manifest},
                              name == "MHCPreFwdOp" ? testing::pre_params() : Params{}, target, runtime);
    }

    /// The plan of what `op` launches for these dims.
    LaunchPlan plan_of(const std::string& name, const Values& dims, Access access = Access::aligned,
                       const std::string& arch = "sm_90a") {
        SpecializeRequest request;
        request.dims = dims;
        request.arch = arch;
        request.access = access;
        return generate(specialize(manifest::find_manifest(name), request)).plan;
    }

    void read_arguments(const LaunchPlan& plan) {
        for (const KernelLaunch& launch : plan.launches) {
            fake.args_of[launch.symbol] = launch.args.size();
        }
    }
};

std::uint64_t address(const TensorView& view) { return reinterpret_cast<std::uintptr_t>(view.data); }

}  // namespace

TEST_CASE_METHOD(Fixture, "a call launches its plan on the stream and leaves the context alone", "[op]") {
    const Values dims{{"batch", 6}, {"n", 4}, {"c_x", 40}};
    const LaunchPlan plan = plan_of("MHCPreFwdOp", dims);
    read_arguments(plan);
    const Op op = make("MHCPreFwdOp");
    OpTensors tensors = OpTensors::pre(6, 4, 40, Device::cuda(0));
    op.call(tensors.inputs, {.stream = stream_number(3), .outputs = tensors.outputs});

    CHECK(fake.contexts == std::vector<cuda::Context>{callers});
    REQUIRE(fake.launches.size() == plan.launches.size());
    NamedTensors all = tensors.inputs;
    all.insert(tensors.outputs.begin(), tensors.outputs.end());
    for (std::size_t i = 0; i < plan.launches.size(); ++i) {
        const auto& got = fake.launches[i];
        const KernelLaunch& want = plan.launches[i];
        CHECK(got.symbol == want.symbol);
        CHECK(got.config.stream == stream_number(3));
        CHECK(got.context == FakeDriver::context_of(0));
        CHECK(got.config.grid_x == want.grid[0].at(6));
        for (std::size_t a = 0; a < want.args.size(); ++a) {
            INFO(want.symbol << " argument " << a << " " << want.args[a].name);
            const auto at = all.find(want.args[a].name);
            if (want.args[a].kind == KernelArg::Kind::pointer && at != all.end()) {
                CHECK(got.args[a] == address(at->second));
            } else if (want.args[a].kind == KernelArg::Kind::row_stride) {
                CHECK(got.args[a] == static_cast<std::uint64_t>(at->second.strides[0]));
            } else if (want.args[a].kind == KernelArg::Kind::batch) {
                CHECK(got.args[a] == 6);
            }
        }
    }
}

TEST_CASE_METHOD(Fixture, "outputs that are not given are owned and freed in the stream", "[op]") {
    const Op op = make("MHCPostFwdOp");
    OpTensors tensors = OpTensors::post(5, 4, 40, Device::cuda(0));
    {
        const Outputs outputs = op.call(tensors.inputs, {.stream = stream_number(3)});
        REQUIRE(outputs.size() == 1);
        CHECK(outputs.name(0) == "x_out");
        CHECK(outputs["x_out"].owns());
        CHECK(outputs["x_out"].shape() == std::vector<std::int64_t>{5, 160});
        CHECK(outputs["x_out"].device() == Device::cuda(0));
        CHECK(fake.allocated.at(address(outputs["x_out"])) == stream_number(3));
        CHECK(fake.freed.empty());
    }
    REQUIRE(fake.freed.size() == 1);
    CHECK(fake.freed[0].second == stream_number(3));
    CHECK(fake.contexts == std::vector<cuda::Context>{callers});
}

TEST_CASE_METHOD(Fixture, "a given output is returned without being owned", "[op]") {
    const Op op = make("MHCPostFwdOp");
    OpTensors tensors = OpTensors::post(5, 4, 40, Device::cuda(0));
    const Outputs outputs = op.call(tensors.inputs, {.outputs = tensors.outputs});
    CHECK_FALSE(outputs[0].owns());
    CHECK(outputs[0].data() == tensors.outputs["x_out"].data);
    CHECK(fake.allocated.empty());
    // In place, as the manifest allows.
    CHECK_NOTHROW(op.call(tensors.inputs, {.outputs = {{"x_out", tensors.inputs["x_res"]}}}));
}

TEST_CASE_METHOD(Fixture, "leading axes of the batch come back", "[op]") {
    const Op op = make("MHCPreFwdOp");
    OpTensors tensors = OpTensors::pre(6, 4, 40, Device::cuda(0));
    tensors.inputs["x"] = TensorView::contiguous(tensors.inputs["x"].data, DType::bf16, {2, 3, 160}, Device::cuda(0));
    const Outputs outputs = op.call(tensors.inputs);
    CHECK(outputs["x_res"].shape() == std::vector<std::int64_t>{2, 3, 160});
    CHECK(outputs["h_post"].shape() == std::vector<std::int64_t>{2, 3, 4});
}

TEST_CASE_METHOD(Fixture, "a failed launch frees outputs and workspace", "[op]") {
    const Op op = make("MHCPreFwdOp");
    OpTensors tensors = OpTensors::pre(6, 4, 40, Device::cuda(0));
    fake.fail_call = "cuLaunchKernelEx";
    CHECK_THROWS_AS(op.call(tensors.inputs), DriverError);
    CHECK(fake.freed.size() == fake.allocated.size());
    CHECK(fake.contexts == std::vector<cuda::Context>{callers});
    fake.fail_call.clear();
    CHECK_NOTHROW(op.call(tensors.inputs));
}

TEST_CASE_METHOD(Fixture, "a batch of 0 launches nothing and reads no pointer", "[op]") {
    const Op op = make("MHCPreFwdOp");
    OpTensors tensors = OpTensors::pre(0, 4, 40, Device::cuda(0));
    for (auto& [name, view] : tensors.inputs) {
        view.data = nullptr;
    }
    const Outputs outputs = op.call(tensors.inputs);
    CHECK(outputs["x_layer"].shape() == std::vector<std::int64_t>{0, 40});
    CHECK(outputs["x_layer"].data() == nullptr);
    CHECK(fake.calls.empty());
    CHECK(compiler_loads == 0);
}

TEST_CASE_METHOD(Fixture, "kernels are made once for a range of batches, and for all ops alike", "[op]") {
    const Op op = make("MHCPostFwdOp");
    for (const std::int64_t batch : {3, 3, 4}) {
        op.call(OpTensors::post(batch, 4, 40, Device::cuda(0)).inputs);
    }
    make("MHCPostFwdOp").call(OpTensors::post(2, 4, 40, Device::cuda(0)).inputs);
    CHECK(fake.count("cuModuleLoadData") == 1);
}

TEST_CASE_METHOD(Fixture, "odd strides and addresses take another kernel", "[op]") {
    const Op op = make("MHCPostFwdOp");
    OpTensors tensors = OpTensors::post(4, 4, 40, Device::cuda(0));
    op.call(tensors.inputs, {.outputs = tensors.outputs});
    CHECK(fake.count("cuModuleLoadData") == 1);
    OpTensors odd_stride = tensors;
    odd_stride.inputs["x_res"].strides[0] = 161;
    op.call(odd_stride.inputs, {.outputs = tensors.outputs});
    CHECK(fake.count("cuModuleLoadData") == 2);
    OpTensors odd_address = tensors;
    odd_address.inputs["h_post"] = testing::shifted(odd_address.inputs["h_post"], 4);
    op.call(odd_address.inputs, {.outputs = tensors.outputs});
    CHECK(fake.count("cuModuleLoadData") == 2);
    OpTensors even_stride = tensors;
    even_stride.inputs["x_res"].strides[0] = 168;
    op.call(even_stride.inputs, {.outputs = tensors.outputs});
    CHECK(fake.count("cuModuleLoadData") == 2);
}

TEST_CASE_METHOD(Fixture, "the next process needs neither compiler nor generator", "[op]") {
    OpTensors tensors = OpTensors::post(4, 4, 40, Device::cuda(0));
    make("MHCPostFwdOp").call(tensors.inputs);
    CHECK(compiler_loads == 1);
    has_nvrtc = false;
    runtime = make_runtime();
    CHECK_NOTHROW(make("MHCPostFwdOp").call(tensors.inputs));
    CHECK_THROWS_WITH(make("MHCPostFwdOp").call(OpTensors::post(4, 4, 48, Device::cuda(0)).inputs),
                      Catch::Contains("libnvrtc"));
}

TEST_CASE_METHOD(Fixture, "an entry of another NVRTC is compiled again where there is one", "[op]") {
    OpTensors tensors = OpTensors::post(4, 4, 40, Device::cuda(0));
    make("MHCPostFwdOp").call(tensors.inputs);
    std::filesystem::path record;
    for (const auto& entry : std::filesystem::directory_iterator(scratch.path())) {
        record = entry.path().extension() == ".json" ? entry.path() : record;
    }
    std::string text = testing::read_text(record);
    const std::size_t at = text.find("(CL-");
    REQUIRE(at != std::string::npos);
    testing::write_text(record, text.replace(at, 4, "(XX-"));
    runtime = make_runtime();
    make("MHCPostFwdOp").call(tensors.inputs);
    CHECK_THAT(testing::read_text(record), Catch::Contains("(CL-"));
}

TEST_CASE_METHOD(Fixture, "after prepare nothing is loaded, so a captured stream is served", "[op]") {
    const Op op = make("MHCPreFwdOp");
    OpTensors tensors = OpTensors::pre(4, 4, 40, Device::cuda(0));
    fake.capturing = true;
    CHECK_THROWS_WITH(op.call(tensors.inputs, {.stream = stream_number(1)}), Catch::Contains("prepare()"));
    fake.capturing = false;
    op.prepare({{"n", 4}, {"c_x", 40}}, Device::cuda(0));
    fake.capturing = true;
    const int loaded = fake.count("cuModuleLoadData");
    CHECK(loaded > 1);
    for (const std::int64_t batch : {1, 4, 64, 65, 5000}) {
        INFO(batch);
        CHECK_NOTHROW(op.call(OpTensors::pre(batch, 4, 40, Device::cuda(0)).inputs, {.stream = stream_number(1)}));
    }
    CHECK(fake.count("cuModuleLoadData") == loaded);
}

TEST_CASE_METHOD(Fixture, "a given workspace is used and checked", "[op]") {
    const Op op = make("MHCPreFwdOp");
    OpTensors tensors = OpTensors::pre(6, 4, 40, Device::cuda(0));
    const std::size_t bytes = op.workspace_bytes({{"batch", 6}, {"n", 4}, {"c_x", 40}}, Device::cuda(0));
    REQUIRE(bytes > 0);
    CallOptions options{.outputs = tensors.outputs, .workspace = {reinterpret_cast<void*>(0x7d0000000000), bytes}};
    op.call(tensors.inputs, options);
    CHECK(fake.allocated.empty());
    options.workspace.data = reinterpret_cast<void*>(0x7d0000000010);
    CHECK_THROWS_WITH(op.call(tensors.inputs, options), Catch::Contains("multiple of 256"));
    options.workspace = {reinterpret_cast<void*>(0x7d0000000000), 8};
    CHECK_THROWS_WITH(op.call(tensors.inputs, options),
                      Catch::Contains("has 8 bytes") && Catch::Contains("workspace_bytes()"));
    options.workspace = {tensors.outputs["x_res"].data, bytes};
    CHECK_THROWS_WITH(op.call(tensors.inputs, options), Catch::Contains("shares memory with the workspace"));
    CHECK(op.workspace_bytes({{"batch", 0}, {"n", 4}, {"c_x", 40}}, Device::cuda(0)) == 0);
}

TEST_CASE_METHOD(Fixture, "the tensors decide the device", "[op]") {
    fake.devices = 2;
    const Op op = make("MHCPostFwdOp");
    op.call(OpTensors::post(4, 4, 40, Device::cuda(1)).inputs);
    CHECK(fake.launches.back().context == FakeDriver::context_of(1));
    op.call(OpTensors::post(4, 4, 40, Device::cuda(0)).inputs);
    CHECK(fake.launches.back().context == FakeDriver::context_of(0));
    CHECK(fake.count("cuModuleLoadData") == 2);
    CHECK_THROWS_WITH(op.call(OpTensors::post(4, 4, 40, Device::cuda(2)).inputs), Catch::Contains("cuda:2"));
}

TEST_CASE_METHOD(Fixture, "naming an architecture pins it", "[op]") {
    OpTensors tensors = OpTensors::post(4, 4, 40, Device::cuda(0));
    CHECK_NOTHROW(make("MHCPostFwdOp", "sm_90a").call(tensors.inputs));
    CHECK_NOTHROW(make("MHCPostFwdOp", "BUILTIN").call(tensors.inputs));
    CHECK_THROWS_WITH(make("MHCPostFwdOp", "sm_80").call(tensors.inputs),
                      Catch::Contains("sm_80") && Catch::Contains("compute capability 9.0"));
    CHECK_THROWS_AS(make("MHCPostFwdOp", "sm_100a").call(tensors.inputs), TargetError);
}

TEST_CASE_METHOD(Fixture, "a device that nothing serves", "[op]") {
    fake.capability_major = 7;
    fake.capability_minor = 5;
    OpTensors tensors = OpTensors::post(4, 4, 40, Device::cuda(0));
    CHECK_THROWS_AS(make("MHCPostFwdOp").call(tensors.inputs), OpNotAvailable);
    CHECK_THROWS_WITH(make("MHCPostFwdOp").call(tensors.inputs), Catch::Contains("7.5") && Catch::Contains("sm_80"));
}

TEST_CASE_METHOD(Fixture, "the set is settled by the first call that succeeds", "[op]") {
    const Op op = make("MHCPostFwdOp");
    OpTensors tensors = OpTensors::post(4, 4, 40, Device::cuda(0));
    fake.fail_call = "cuLaunchKernelEx";
    CHECK_THROWS_AS(op.call(tensors.inputs), DriverError);
    fake.fail_call.clear();
    CHECK_NOTHROW(op.call(OpTensors::post(0, 4, 40).inputs));
    CHECK_THROWS_WITH(op.call(tensors.inputs), Catch::Contains("target is `host`"));
}

TEST_CASE_METHOD(Fixture, "the default target serves ops that name none and have not been called", "[op]") {
    OpTensors tensors = OpTensors::post(4, 4, 40, Device::cuda(0));
    const Op called = make("MHCPostFwdOp");
    called.call(tensors.inputs);
    set_default_target("host");
    CHECK(default_target() == "host");
    CHECK_NOTHROW(called.call(tensors.inputs));
    CHECK_NOTHROW(make("MHCPostFwdOp", "BUILTIN").call(tensors.inputs));
    CHECK_THROWS_AS(make("MHCPostFwdOp").call(tensors.inputs), TargetError);
    set_default_target({});
    CHECK_NOTHROW(make("MHCPostFwdOp").call(tensors.inputs));
}

TEST_CASE_METHOD(Fixture, "call_into takes everything in order", "[op]") {
    const Op op = make("MHCPostFwdOp");
    OpTensors tensors = OpTensors::post(4, 4, 40, Device::cuda(0));
    const std::vector<TensorView> inputs{tensors.inputs["x_layer_out"], tensors.inputs["h_post"],
                                         tensors.inputs["x_res"]};
    const std::vector<TensorView> outputs{tensors.outputs["x_out"]};
    op.call_into(inputs, outputs, stream_number(2));
    REQUIRE(fake.launches.size() == 1);
    CHECK(fake.launches[0].config.stream == stream_number(2));
    CHECK(fake.allocated.empty());
}
