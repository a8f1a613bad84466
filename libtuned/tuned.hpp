/* SPDX-FileCopyrightText: 2026 The tune authors
 * SPDX-License-Identifier: MIT
 * libtuned for C++11 and later: what is loaded frees itself, and what goes wrong is thrown.
 * Everything else is tuned.h, whose structs it takes and gives.
 *
 *     tune::configurations tuned;                    as tuned_open(NULL): throws tune::load_error
 *     tune::answer answer = tuned.find(device, "blur.f32", n);
 *     long long items = answer.integer("items", 1);  1 when there is no entry
 */
#ifndef TUNED_HPP
#define TUNED_HPP

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include "tuned.h"

namespace tune
{

/* A file was refused, or there is none; what() is tuned_error's text. */
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
    } /* 0: no line is to blame */

  private:
    int code_, line_;
};

/* What was found. It borrows the configurations, the device, the problem and the sizes that were
 * asked about: these must live as long. False where nothing was found. */
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

    /* tuned_answer_integer: for this size on this device. */
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
    /* False: the file does not tell it here; *out is as it was. */
    bool launch(struct tuned_launch *out, int index = 0) const noexcept
    {
        return tuned_answer_launch(&found_, index, out) != 0;
    }
    std::string reason() const /* in tuned_debug.c */
    {
        char text[TUNED_REASON_BYTES];
        tuned_reason(&found_, text, sizeof text);
        return text;
    }

  private:
    struct tuned_answer found_;
};

/* A device and a problem that were looked for once (tuned_handle). Borrows the configurations and
 * the texts of both. */
class handle
{
  public:
    explicit handle(const struct tuned_handle &resolved) noexcept : resolved_(resolved)
    {
    }
    /* The handle must outlive the answer. */
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

/* What was loaded: movable, never changed, read by any number of threads. */
class configurations
{
  public:
    /* tuned_open. */
    explicit configurations(const struct tuned_options *options = nullptr)
    {
        struct tuned_error error = tuned_error();
        take(tuned_open(options, &error), error);
    }
    /* This file alone, as tuned_open reads it: $TUNED_VERBOSE and $TUNED_OVERRIDE work. */
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
    /* tuned_load */
    static configurations load(const std::string &path)
    {
        struct tuned_error error = tuned_error();
        return configurations(tuned_load(path.c_str(), &error), error);
    }
    /* tuned_load_memory */
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

} // namespace tune

#endif
