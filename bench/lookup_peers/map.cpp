// What one writes in an afternoon: a text file with a line a configuration, read into a
// std::unordered_map by "device/kernel", the configurations of each in order of their sizes, their
// values in a std::unordered_map by name.
#include "peers.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

namespace lookup
{
namespace
{

struct configuration {
    long long low = 0, high = 0;
    std::unordered_map<std::string, std::string> values;
};

class string_map : public contender
{
  public:
    std::string name() const override
    {
        return "unordered_map";
    }
    void write(const std::vector<row> &rows, const std::string &path) const override
    {
        std::string text;
        for (const row &each : rows) {
            text += each.device + "\t" + each.kernel + "\t" + std::to_string(each.low) + "\t" +
                    std::to_string(each.high);
            for (const auto *list : {&each.values, &each.evidence})
                for (const auto &[name, value] : *list)
                    text += "\t" + name + "=" + value;
            text += "\n";
        }
        write_whole(path, text);
    }
    void load(const std::string &path, const std::vector<question> &) override
    {
        const std::string text = read_whole(path);
        for (size_t at = 0; at < text.size();) {
            const size_t end = text.find('\n', at);
            take_line(text.substr(at, end - at));
            at = end + 1;
        }
        for (auto &[key, list] : map_)
            std::sort(list.begin(), list.end(),
                      [](const configuration &a, const configuration &b) { return a.low < b.low; });
    }
    void unload() override
    {
        map_ = {};
    }
    void answer(const std::vector<question> &questions, long long *out) override
    {
        for (const question &each : questions)
            *out++ = block_of(each);
    }

  private:
    void take_line(const std::string &line)
    {
        std::vector<std::string> parts;
        for (size_t at = 0; at <= line.size();) {
            const size_t end = std::min(line.find('\t', at), line.size());
            parts.push_back(line.substr(at, end - at));
            at = end + 1;
        }
        configuration made;
        made.low = std::stoll(parts[2]);
        made.high = std::stoll(parts[3]);
        for (size_t i = 4; i < parts.size(); i++) {
            const size_t equal = parts[i].find('=');
            made.values.emplace(parts[i].substr(0, equal), parts[i].substr(equal + 1));
        }
        map_[parts[0] + "/" + parts[1]].push_back(std::move(made));
    }
    long long block_of(const question &of) const
    {
        const auto found = map_.find(of.device + "/" + of.kernel);
        if (found == map_.end())
            return -1;
        auto after =
            std::upper_bound(found->second.begin(), found->second.end(), of.n,
                             [](long long n, const configuration &each) { return n < each.low; });
        if (after == found->second.begin() || (--after)->high < of.n)
            return -1;
        const auto value = after->values.find("block");
        return value == after->values.end() ? -1 : std::stoll(value->second);
    }

    std::unordered_map<std::string, std::vector<configuration>> map_;
};

} // namespace

std::unique_ptr<contender> make_map()
{
    return std::make_unique<string_map>();
}

} // namespace lookup
