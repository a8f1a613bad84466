// A JSON file and cJSON: {device: {kernel: [{"low": 1, "high": 2, "values": {...}, "evidence":
// {...}}]}}.
#include "peers.h"

#ifdef LOOKUP_PEERS_CJSON
#include <cjson/cJSON.h>
#endif

namespace lookup
{

#ifdef LOOKUP_PEERS_CJSON
namespace
{

// Numbers are numbers, as whoever writes such a file would have it.
std::string object_of(const std::vector<std::pair<std::string, std::string>> &values)
{
    std::string text;
    for (const auto &[name, value] : values) {
        const bool is_number = value.find_first_not_of("0123456789.") == std::string::npos;
        const std::string quote = is_number ? "" : "\"";
        text += (text.empty() ? "\"" : ", \"") + name + "\": " + quote + value + quote;
    }
    return "{" + text + "}";
}

class json_file : public contender
{
  public:
    std::string name() const override
    {
        return "cJSON";
    }
    void write(const std::vector<row> &rows, const std::string &path) const override
    {
        std::string text = "{", device, kernel;
        for (const row &each : rows) {
            if (each.device != device) {
                text += (device.empty() ? "\"" : "]},\n\"") + each.device + "\": {\"" +
                        each.kernel + "\": [\n";
            } else if (each.kernel != kernel) {
                text += "],\n\"" + each.kernel + "\": [\n";
            } else {
                text += ",\n";
            }
            device = each.device;
            kernel = each.kernel;
            text += "{\"low\": " + std::to_string(each.low) +
                    ", \"high\": " + std::to_string(each.high) +
                    ", \"values\": " + object_of(each.values) +
                    ", \"evidence\": " + object_of(each.evidence) + "}";
        }
        write_whole(path, text + "]}}\n");
    }
    void load(const std::string &path, const std::vector<question> &) override
    {
        root_ = cJSON_Parse(read_whole(path).c_str());
        if (!root_)
            fail(path + ": cJSON does not read it");
    }
    void unload() override
    {
        cJSON_Delete(root_);
        root_ = nullptr;
    }
    void answer(const std::vector<question> &questions, long long *out) override
    {
        for (const question &each : questions)
            *out++ = block_of(each);
    }

  private:
    static const cJSON *member(const cJSON *of, const char *name)
    {
        return cJSON_GetObjectItemCaseSensitive(of, name);
    }
    long long block_of(const question &of) const
    {
        const cJSON *list = member(member(root_, of.device.c_str()), of.kernel.c_str()), *each;
        cJSON_ArrayForEach(each, list)
        {
            if (cJSON_GetNumberValue(member(each, "low")) <= (double)of.n &&
                (double)of.n <= cJSON_GetNumberValue(member(each, "high")))
                return (long long)cJSON_GetNumberValue(member(member(each, "values"), "block"));
        }
        return -1;
    }

    cJSON *root_ = nullptr;
};

} // namespace

std::unique_ptr<contender> make_json()
{
    return std::make_unique<json_file>();
}
#else
std::unique_ptr<contender> make_json()
{
    return nullptr;
}
#endif

} // namespace lookup
