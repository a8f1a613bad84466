// libtuned, asked in one go and through handles that were resolved once.
#include "peers.h"

#include <tuned.h>

namespace lookup
{
namespace
{

std::string fields(const std::vector<std::pair<std::string, std::string>> &of)
{
    std::string text;
    for (const auto &[name, value] : of)
        text += " " + name + "=" + value;
    return text;
}

class tuned_file : public contender
{
  public:
    std::string name() const override
    {
        return "libtuned";
    }
    void write(const std::vector<row> &rows, const std::string &path) const override
    {
        std::string text = "tuned-conf 3\n", device;
        for (const row &each : rows) {
            if (each.device != device)
                text += "\n[cuda \"" + each.device + "\"] compute_capability=9.0 sm_count=132\n";
            device = each.device;
            text += each.kernel + " n=" + std::to_string(each.low) + "-" +
                    std::to_string(each.high) + fields(each.values) + " |" + fields(each.evidence) +
                    "\n";
        }
        write_whole(path, text + "\nend\n");
    }
    void load(const std::string &path, const std::vector<question> &questions) override
    {
        tuned_error error;
        tuned_ = tuned_load(path.c_str(), &error);
        if (!tuned_)
            fail(error.text);
        device_ = {};
        device_.kind = "cuda";
        device_.name = questions[0].device.c_str();
        device_.compute_capability_major = 9;
        device_.unit_count = 132;
    }
    void unload() override
    {
        tuned_free(tuned_);
        tuned_ = nullptr;
    }
    void answer(const std::vector<question> &questions, long long *out) override
    {
        for (const question &each : questions) {
            tuned_answer answer;
            tuned_find(tuned_, &device_, each.kernel.c_str(), each.n, &answer);
            *out++ = tuned_answer_integer(&answer, "block", -1);
        }
    }

  protected:
    struct tuned *tuned_ = nullptr;
    tuned_device device_ = {};
};

class tuned_handles : public tuned_file
{
  public:
    std::string name() const override
    {
        return "libtuned, resolved";
    }
    void load(const std::string &path, const std::vector<question> &questions) override
    {
        tuned_file::load(path, questions);
        block_ = tuned_value_index(tuned_, "block");
        for (const question &each : questions) {
            if (handles_.size() <= (size_t)each.kernel_index)
                handles_.resize((size_t)each.kernel_index + 1);
            tuned_resolve(tuned_, &device_, each.kernel.c_str(),
                          &handles_[(size_t)each.kernel_index]);
        }
    }
    void unload() override
    {
        tuned_file::unload();
        handles_.clear();
        handles_.shrink_to_fit();
    }
    void answer(const std::vector<question> &questions, long long *out) override
    {
        for (const question &each : questions) {
            tuned_answer answer;
            tuned_find_resolved(&handles_[(size_t)each.kernel_index], each.n, &answer);
            *out++ = tuned_answer_integer_at(&answer, block_, -1);
        }
    }

  private:
    std::vector<tuned_handle> handles_;
    int block_ = -1;
};

} // namespace

std::unique_ptr<contender> make_tuned()
{
    return std::make_unique<tuned_file>();
}

std::unique_ptr<contender> make_resolved()
{
    return std::make_unique<tuned_handles>();
}

} // namespace lookup
