/* SPDX-FileCopyrightText: 2026 The tune authors
 * SPDX-License-Identifier: MIT
 * libtuned for C++11 and later: objects free themselves, and errors of loading are exceptions.
 * Structs, limits and thread safety are those of tuned.h. Only constructors, load, parse and
 * functions that return a std::string throw.
 *
 *     tune::configurations tuned;                    as tuned_open(NULL); throws tune::load_error
 *     tune::answer answer = tuned.find(device, "blur.f32", n);
 *     long long items = answer.integer("items", 1);  1 if there is no entry
 */
#ifndef TUNED_HPP
#define TUNED_HPP

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include "tuned.h"
#include "tuned_record.h"

namespace tune
{

/* Error of loading: a refused or missing file. what() returns the text of tuned_error. */
class load_error : public std::runtime_error
{
  public:
    explicit load_error(const struct tuned_error &error)
        : std::runtime_error(error.text), code_(error.code), line_(error.line)
    {
    }
    enum tuned_code code() const noexcept
    {
        return static_cast<enum tuned_code>(code_);
    }
    int line() const noexcept
    {
        return line_;
    } /* 0: no particular line */

  private:
    int code_, line_;
};

/* Result of a look-up, false if the grade is TUNED_NONE. The configurations, device, problem and
 * sizes of the request are borrowed and must outlive the answer. */
class answer
{
  public:
    explicit answer(const struct tuned_answer &found) noexcept : found_(found)
    {
    }
    explicit operator bool() const noexcept
    {
        return found_.entry != nullptr;
    }
    enum tuned_grade grade() const noexcept
    {
        return found_.grade;
    }
    double distance() const noexcept
    {
        return found_.distance;
    }
    const struct tuned_entry *entry() const noexcept
    {
        return found_.entry;
    }
    const struct tuned_answer &get() const noexcept
    {
        return found_;
    }

    /* Returns a whole number for the requested size and device (tuned_answer_integer). */
    long long integer(const char *name, long long otherwise) const noexcept
    {
        return tuned_answer_integer(&found_, name, otherwise);
    }
    double real(const char *name, double otherwise) const noexcept
    {
        return tuned_real(found_.entry, name, otherwise);
    }
    std::string text(const char *name, const char *otherwise) const
    {
        return tuned_text(found_.entry, name, otherwise);
    }
    /* Fills in *out and returns true, or returns false and leaves *out unchanged if the file has no
     * launch `index` for this size and device (tuned_answer_launch). */
    bool launch(struct tuned_launch *out, int index = 0) const noexcept
    {
        return tuned_answer_launch(&found_, index, out) != 0;
    }
    std::string reason() const /* needs tuned_debug.c */
    {
        char text[TUNED_REASON_BYTES];
        tuned_reason(&found_, text, sizeof text);
        return text;
    }

  private:
    struct tuned_answer found_;
};

/* A resolved device and problem (tuned_handle). The configurations and the texts of both are
 * borrowed. */
class handle
{
  public:
    explicit handle(const struct tuned_handle &resolved) noexcept : resolved_(resolved)
    {
    }
    /* Finds as tuned_find_resolved. The handle must outlive the answer. */
    answer find(long long n) const &noexcept
    {
        struct tuned_answer found;
        (void)tuned_find_resolved(&resolved_, n, &found);
        return answer(found);
    }
    answer find(long long n) const && = delete;

  private:
    struct tuned_handle resolved_;
};

/* Loaded configurations: movable, immutable, for any threads; answers and handles borrow them. */
class configurations
{
  public:
    /* Loads as tuned_open does, from $TUNED_CONF and the usual places. Throws load_error. */
    explicit configurations(const struct tuned_options *options = nullptr)
    {
        struct tuned_error error = tuned_error();
        take(tuned_open(options, &error), error);
    }
    /* Loads one named file as tuned_open does, so that $TUNED_VERBOSE and $TUNED_OVERRIDE work. */
    explicit configurations(const std::string &path)
    {
        const char *const paths[] = {path.c_str()};
        struct tuned_options options = tuned_options();
        struct tuned_error error = tuned_error();
        options.paths = paths;
        options.path_count = 1;
        options.skip = TUNED_SKIP_USER | TUNED_SKIP_SYSTEM;
        take(tuned_open(&options, &error), error);
    }
    explicit configurations(const char *path) : configurations(std::string(path))
    {
    }
    /* Loads exactly this file (tuned_load): no variable changes it. Throws load_error. */
    static configurations load(const std::string &path)
    {
        struct tuned_error error = tuned_error();
        return configurations(tuned_load(path.c_str(), &error), error);
    }
    /* Reads a text (tuned_load_memory); `name` stands for a file in messages. Throws load_error. */
    static configurations parse(const std::string &text, const char *name = "tuned.conf")
    {
        struct tuned_error error = tuned_error();
        return configurations(tuned_load_memory(text.data(), text.size(), name, &error), error);
    }

    const struct tuned *get() const noexcept
    {
        return tuned_.get();
    }
    std::size_t size() const noexcept
    {
        return tuned_entry_count(get());
    }
    const struct tuned_entry *operator[](std::size_t index) const noexcept
    {
        return tuned_entry_at(get(), index);
    }

    answer find(const struct tuned_device &device, const char *problem, long long n,
                const struct tuned_size *sizes = nullptr, std::size_t size_count = 0) const noexcept
    {
        struct tuned_answer found;
        (void)tuned_find_sizes(get(), &device, problem, n, sizes, size_count, &found);
        return answer(found);
    }
    answer find(const struct tuned_device &&device, const char *problem, long long n,
                const struct tuned_size *sizes = nullptr,
                std::size_t size_count = 0) const = delete;
    handle resolve(const struct tuned_device &device, const char *problem) const noexcept
    {
        struct tuned_handle resolved;
        (void)tuned_resolve(get(), &device, problem, &resolved);
        return handle(resolved);
    }

  private:
    struct release {
        void operator()(struct tuned *tuned) const noexcept
        {
            tuned_free(tuned);
        }
    };
    configurations(struct tuned *loaded, const struct tuned_error &error)
    {
        take(loaded, error);
    }
    void take(struct tuned *loaded, const struct tuned_error &error)
    {
        if (!loaded)
            throw load_error(error);
        tuned_.reset(loaded);
    }
    std::unique_ptr<struct tuned, release> tuned_;
};

/* A record of look-ups (tuned_record.h), which closes itself and must outlive the configurations
 * that count in it.
 *
 *     tune::record record("app.record");
 *     struct tuned_options options = tuned_options();
 *     record.count(options);
 *     tune::configurations tuned(&options); */
class record
{
  public:
    explicit record(const char *path, struct tuned_error *error = nullptr) noexcept
        : opened_(tuned_record_open(path, error))
    {
    }
    /* Returns false if the file cannot be a record: look-ups are then not counted. */
    explicit operator bool() const noexcept
    {
        return opened_ != nullptr;
    }
    void count(struct tuned_options &options) const noexcept
    {
        options.on_find = tuned_record_find;
        options.on_find_context = opened_.get();
    }

  private:
    struct close {
        void operator()(struct tuned_record *opened) const noexcept
        {
            tuned_record_close(opened);
        }
    };
    std::unique_ptr<struct tuned_record, close> opened_;
};

} // namespace tune

#endif
