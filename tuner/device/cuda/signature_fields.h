/* What the compiler says of types, as numbers in a symbol, and of the members of structs that a
 * kernel takes by value. */
#ifndef TUNE_DEVICE_CUDA_SIGNATURE_FIELDS_H
#define TUNE_DEVICE_CUDA_SIGNATURE_FIELDS_H

#include "tuner/base/text.h"
#include "tuner/device/gpu/tokens.h"

enum { TYPE_CODES = 12 };

/* Of a type as probe.c has it. */
struct type_numbers {
    int pointer, constant, code, lanes, bytes, elements;
};

/* Asks for them, of PROBE::WHAT. */
void put_type_numbers(struct text *text, const char *probe, const char *what);
/* The next ones of a symbol: "Li12E"... False: there are none. */
bool take_type_numbers(const char **at, struct type_numbers *out);
bool take_number(const char **at, int *out);
/* By code, from 1 on. */
enum element_type coded_type(int code);

/* The members of each struct that the kernel takes or that is a variable, by the source's text.
 * False: memory is short. */
bool fields_list(struct arena *arena, const struct tokens *tokens, struct kernel_signature *kernel,
                 struct source_signature *out);
/* What is asked of them, in the expression and behind the source. */
void fields_put_questions(struct text *text, const char *probe,
                          const struct kernel_signature *kernel);
void fields_put_variables(struct text *text, const char *probe, const struct source_signature *out);
void fields_put_types(struct text *text, const struct kernel_signature *kernel,
                      const struct source_signature *out);
/* Leaves out the members that the compiler's message refuses; or, where it names none, all of the
 * first struct. False: there was none to leave out. */
bool fields_drop(struct kernel_signature *kernel, struct source_signature *out,
                 const char *message);
/* Of a variable that is a pointer, or several: its field. False: memory is short. */
bool fields_take_pointer(struct arena *arena, const struct type_numbers *numbers,
                         struct kernel_parameter *variable);
/* What was answered of one struct: its fields, in the layout that C gives a struct of them; what
 * has no name, or is no number, as so many bytes. False: it was not understood, or memory is short.
 */
bool fields_take(struct arena *arena, const char **answer, struct kernel_parameter *parameter);

#endif
