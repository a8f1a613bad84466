#include "tests/kernels/reduce_data.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

using reduce_points::bytes_of;
using reduce_points::is_real;
using reduce_points::op;
using reduce_points::result_of;

namespace reduce_data
{

namespace
{

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

struct format {
    int mantissa, bias, infinite; // bits, exponent of 1, largest exponent
};

format format_of(element type)
{
    return type == element::f16 ? format{10, 15, 31} : format{7, 127, 255};
}

// Halves by their definition; what they do not hold is cut off.
uint64_t half_bits(element type, double value)
{
    const format format = format_of(type);
    const uint64_t sign = std::signbit(value) ? 0x8000 : 0;
    const uint64_t top = static_cast<uint64_t>(format.infinite) << format.mantissa;
    if (std::isnan(value))
        return sign | top | 1;
    if (std::isinf(value))
        return sign | top;
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(value), &exponent); // 0.5 .. 1
    exponent += format.bias - 1;
    const double scaled = exponent > 0 ? std::ldexp(fraction, format.mantissa + 1) +
                                             std::ldexp(exponent - 1, format.mantissa)
                                       : std::ldexp(fraction, format.mantissa + exponent);
    return sign | (value == 0 ? 0 : static_cast<uint64_t>(scaled));
}

double half_value(element type, uint64_t bits)
{
    const format format = format_of(type);
    const int exponent = static_cast<int>((bits & 0x7fff) >> format.mantissa);
    const double fraction = static_cast<double>(bits & ((1u << format.mantissa) - 1));
    const double one = std::ldexp(1, format.mantissa);
    double value;
    if (exponent == format.infinite)
        value = fraction == 0 ? infinity : nan_value;
    else if (exponent == 0)
        value = std::ldexp(fraction / one, 1 - format.bias);
    else
        value = std::ldexp(1 + fraction / one, exponent - format.bias);
    return bits & 0x8000 ? -value : value;
}

uint64_t real_bits(element type, double value)
{
    uint64_t bits = 0;
    const float single = static_cast<float>(value);
    if (type == element::f64)
        std::memcpy(&bits, &value, sizeof value);
    else if (type == element::f32)
        std::memcpy(&bits, &single, sizeof single);
    else
        bits = half_bits(type, value);
    return bits;
}

bool is_signed(element type)
{
    return type == element::i8 || type == element::i16 || type == element::i32 ||
           type == element::i64;
}

// The low bits of an integer as that integer.
int64_t widened(element type, uint64_t bits)
{
    const unsigned int unused = 64 - 8 * static_cast<unsigned int>(bytes_of(type));
    if (is_signed(type))
        return static_cast<int64_t>(bits << unused) >> unused;
    return static_cast<int64_t>(bits << unused >> unused);
}

struct array {
    element type;
    char *at;

    void put(size_t index, uint64_t bits) const
    {
        std::memcpy(at + index * bytes_of(type), &bits, bytes_of(type));
    }
    uint64_t get(size_t index) const
    {
        uint64_t bits = 0;
        std::memcpy(&bits, at + index * bytes_of(type), bytes_of(type));
        return bits;
    }
    double real(size_t index) const
    {
        return real_of(type, at + index * bytes_of(type));
    }
};

uint64_t cut(element type, uint64_t bits)
{
    return bytes_of(type) == 8 ? bits : bits & ((uint64_t(1) << 8 * bytes_of(type)) - 1);
}

// ---- what is expected ----

bool is_less(element type, uint64_t a, uint64_t b)
{
    if (is_real(type)) {
        const double x = real_of(type, &a), y = real_of(type, &b);
        return x == y ? std::signbit(x) && !std::signbit(y) : x < y;
    }
    if (is_signed(type))
        return widened(type, a) < widened(type, b);
    return cut(type, a) < cut(type, b);
}

uint64_t identity(element type, bool of_minimum)
{
    if (is_real(type))
        return real_bits(type, of_minimum ? infinity : -infinity);
    const uint64_t all = cut(type, ~uint64_t(0));
    if (is_signed(type))
        return of_minimum ? all >> 1 : cut(type, ~(all >> 1));
    return of_minimum ? all : 0;
}

uint64_t extreme_of(const array &in, size_t n, bool minimum)
{
    uint64_t found = identity(in.type, minimum);
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = in.get(i);
        if (is_real(in.type) && std::isnan(real_of(in.type, &bits)))
            continue;
        if (minimum ? is_less(in.type, bits, found) : is_less(in.type, found, bits))
            found = bits;
    }
    return found;
}

expected expect(const point &point, const array &in, size_t n)
{
    expected made = {};
    const bool is_sum = point.op == op::sum;
    if (point.op == op::minimum || point.op == op::maximum) {
        made.bits = extreme_of(in, n, point.op == op::minimum);
        return made;
    }
    if (!is_real(point.element)) {
        uint64_t value = !is_sum;
        for (size_t i = 0; i < n; i++) {
            const uint64_t element = static_cast<uint64_t>(widened(in.type, in.get(i)));
            value = is_sum ? value + element : value * element;
        }
        made.bits = cut(result_of(point), value);
        return made;
    }
    made.real = !is_sum;
    for (size_t i = 0; i < n; i++) {
        const double element = in.real(i);
        made.real = is_sum ? made.real + element : made.real * element;
        made.magnitude += std::fabs(element);
    }
    if (!is_sum)
        made.magnitude = std::fabs(made.real);
    made.bits = real_bits(result_of(point), made.real);
    return made;
}

// ---- elements ----

double exact_real(const point &point, uint64_t drawn, size_t index)
{
    if (point.op == op::sum)
        return static_cast<double>(static_cast<int>(drawn % 17) - 8);
    if (point.op == op::product) { // a power of two that stays small
        const double size = drawn % 7 != 0 || index > 40 ? 1 : index % 2 == 0 ? 2 : 0.5;
        return drawn & 8 ? -size : size;
    }
    return static_cast<double>(drawn % 2001) - 1000;
}

uint64_t exact_element(const point &point, uint64_t drawn, size_t index, bool is_far)
{
    const element type = point.element;
    if (is_real(type)) {
        const double value = exact_real(point, drawn, index);
        if (is_far) // of one sign, so that a zero that slips in is seen
            return real_bits(type, point.op == op::minimum ? 1 + std::fabs(value)
                                                           : -1 - std::fabs(value));
        return real_bits(type, value);
    }
    if (point.op == op::product)
        return drawn | 1; // else nothing counts behind a few even ones
    if (is_far)
        return identity(type, point.op == op::minimum) +
               (point.op == op::minimum ? ~(drawn % 60) : drawn % 60);
    return drawn;
}

double rounding_element(const point &point, uint64_t drawn, bool is_positive)
{
    const double value = static_cast<double>(drawn >> 11) * 0x1p-53;
    if (point.op == op::product)
        return 0.9 + 0.2 * value;
    return is_positive ? value : 2 * value - 1;
}

double special_element(uint64_t drawn, unsigned int kind)
{
    const double zero = drawn & 256 ? 0.0 : -0.0;
    switch (kind) {
    case 0: // of everything
        return drawn % 2         ? nan_value
               : drawn % 5 == 0  ? zero
               : drawn % 97 == 0 ? (drawn & 512 ? infinity : -infinity)
                                 : static_cast<double>(drawn / 1024 % 2001) - 1000;
    case 1:
        return nan_value;
    case 2:
        return drawn % 3 ? nan_value : zero;
    default: // one zero is less than the other
        return drawn % 64 == 0 ? zero : std::copysign(0.0, kind == 3 ? 1 : -1);
    }
}

} // namespace

uint64_t hash(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

expected fill_input(const point &point, void *in, size_t n, fill kind, uint64_t seed)
{
    const array to = {point.element, static_cast<char *>(in)};
    const bool is_extreme = point.op == op::minimum || point.op == op::maximum;
    for (size_t i = 0; i < n; i++) {
        const uint64_t drawn = hash(seed, i);
        if (kind == fill::exact)
            to.put(i, exact_element(point, drawn, i, is_extreme && seed % 2 == 1));
        else if (kind == fill::rounding)
            to.put(i, real_bits(point.element, rounding_element(point, drawn, seed % 2 == 0)));
        else
            to.put(i, real_bits(point.element,
                                special_element(drawn, static_cast<unsigned int>(seed % 5))));
    }
    return expect(point, to, n);
}

expected fill_with_extreme(const point &point, void *in, size_t n, size_t where, uint64_t seed)
{
    const array to = {point.element, static_cast<char *>(in)};
    const bool is_minimum = point.op == op::minimum;
    fill_input(point, in, n, fill::exact, seed | 1);
    // Beyond all of these, and not what there is without any element.
    if (is_real(point.element))
        to.put(where, real_bits(point.element, is_minimum ? 0.5 : -0.5));
    else
        to.put(where,
               identity(point.element, is_minimum) + (is_minimum ? ~uint64_t(99) : uint64_t(100)));
    return expect(point, to, n);
}

uint64_t bits_of(const point &point, const void *result)
{
    uint64_t bits = 0;
    std::memcpy(&bits, result, bytes_of(result_of(point)));
    return bits;
}

double real_of(element type, const void *at)
{
    uint64_t bits = 0;
    double value;
    float single;
    std::memcpy(&bits, at, bytes_of(type));
    std::memcpy(&value, &bits, sizeof value);
    std::memcpy(&single, &bits, sizeof single);
    return type == element::f64   ? value
           : type == element::f32 ? static_cast<double>(single)
                                  : half_value(type, bits);
}

std::string shown(element type, uint64_t bits)
{
    char text[64];
    if (is_real(type))
        std::snprintf(text, sizeof text, "%.17g", real_of(type, &bits));
    else if (is_signed(type))
        std::snprintf(text, sizeof text, "%lld", static_cast<long long>(widened(type, bits)));
    else
        std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(bits));
    return text;
}

} // namespace reduce_data
