/* Format of a capture: the files written by the preloaded library, and the single file that `tune
 * capture` makes of them. All bytes of a capture belong to these structures; readers use
 * frontends/capture/capture.h, which checks every number. A file is a head and records in sequence,
 * each at a multiple of 8 bytes. A record is a head, a structure whose size is in the head (so that
 * later versions can extend it), and the items counted by the structure, in the order given in its
 * comment, each padded to 8 bytes; texts end with a NUL, which is counted. Byte order: little. A
 * process writes two files: PID-N.data, records written once, and PID-N.table, which is mapped, so
 * that counts survive any end of the program. Both may end inside a record: whole records count.
 * The file of `tune capture` holds the records of all processes and ends with CAP_END. Identifiers
 * are local to the process whose CAP_PROGRAM precedes, begin at 1, and are written before use,
 * except for kernels: any place in the process. */
#ifndef TUNE_CAPTURE_FORMAT_H
#define TUNE_CAPTURE_FORMAT_H

#include <stdint.h>

#define CAP_MAGIC 'T', 'U', 'N', 'E', 'C', 'A', 'P', '\n'
enum {
    CAP_VERSION = 1,
    CAP_ALIGN = 8,
    CAP_BLOCK_BYTES = 64 * 1024, /* size of contents' blocks, each kept once */
    CAP_HASH_BYTES = 16,         /* XXH3, 128 bits, most significant byte first */
    CAP_DIMENSIONS = 3,
    CAP_SHAPES_MAX = 64,             /* launches that differ, counted apart for a kernel */
    CAP_PARAMETER_BYTES_MAX = 32764, /* CUDA's limit of a kernel's parameter bytes */
    CAP_TABLE_BYTES = 1024 * 1024,   /* growth of PID-N.table; zeros follow the last record */
    CAP_ROOM_BYTES = CAP_TABLE_BYTES /* of a CAP_ROOM in front of PID-N.data */
};

struct cap_file_head {
    char magic[8];
    uint32_t version;
    uint32_t head_bytes; /* size of this structure */
};

struct cap_record_head {
    uint32_t type;
    uint32_t fixed_bytes; /* size of the structure behind this head */
    uint64_t bytes;       /* bytes of the structure and all items, without final padding */
};

enum cap_type {
    CAP_NONE, /* end of the written records */
    CAP_PROGRAM,
    CAP_DEVICE,
    CAP_IMAGE,
    CAP_KERNEL,
    CAP_SHAPE,
    CAP_BLOCK,
    CAP_CONTENT,
    CAP_LAUNCH,
    CAP_NOTE,
    CAP_END,
    CAP_ROOM /* nothing: room for other records, skipped as those of later versions are */
};

/* A process. Followed by: path, command (the arguments, each NUL-terminated), library (version of
 * the recorder). */
struct cap_program {
    int64_t pid, parent_pid;
    int64_t started_ns;     /* since 1970 */
    int32_t driver_version; /* as cuDriverGetVersion: 13000; 0: not known */
    uint32_t path_bytes, command_bytes, library_bytes;
};

/* A device. Followed by: name. */
struct cap_device {
    uint32_t ordinal; /* ordinal in the program */
    uint32_t name_bytes;
    uint8_t uuid[16];
    int32_t major, minor, sm_count, l2_bytes;
    int32_t shared_bytes_sm, shared_bytes_block, shared_bytes_optin, registers_sm, threads_sm,
        blocks_sm;
    uint64_t memory_bytes;
};

enum cap_image_kind { CAP_IMAGE_OTHER, CAP_IMAGE_FATBIN, CAP_IMAGE_CUBIN, CAP_IMAGE_PTX };

/* An image given to the driver. Followed by: the bytes (PTX without NUL), or none if left out, and
 * the path of the file ("": from memory). */
struct cap_image {
    uint32_t id, kind;
    uint8_t hash[CAP_HASH_BYTES]; /* hash of the bytes */
    uint64_t bytes;               /* size of the image ... */
    uint64_t kept_bytes;          /* ... and that are here: all or 0 */
    uint32_t file_bytes;
    uint32_t none;
};

struct cap_parameter {
    uint32_t offset, bytes;
};

/* A launched kernel. Counts grow while the program runs. Followed by: parameters, name in the image
 * (mangled). */
struct cap_kernel {
    uint32_t id;
    uint32_t image;           /* 0: not known */
    uint32_t parameter_count; /* valid with is_layout_known */
    uint32_t is_layout_known;
    uint32_t name_bytes;
    int32_t registers, static_shared_bytes, local_bytes, constant_bytes,
        threads_most;                    /* -1: not known */
    int32_t ptx_version, binary_version; /* 90: 9.0; -1: not known */
    uint64_t launches;
    uint64_t graph_nodes; /* launches that became nodes of graphs; their runs are not seen */
    uint64_t timed;       /* launches that `time_ns` is the sum of */
    uint64_t time_ns;
    uint64_t kept; /* launches kept whole */
};

/* Launches of a kernel with equal shape. The last of CAP_SHAPES_MAX holds all others (is_rest: its
 * numbers are those of the first of them). */
struct cap_shape {
    uint32_t kernel;
    uint32_t is_rest;
    uint32_t grid[CAP_DIMENSIONS], block[CAP_DIMENSIONS],
        cluster[CAP_DIMENSIONS]; /* cluster 0: none by the launch */
    uint32_t shared_bytes;       /* dynamic */
    int32_t blocks_sm;           /* resident on an SM at once, from the driver; -1: unknown */
    uint32_t device;             /* ordinal, of the first */
    uint64_t bytes;              /* allocations behind the first launch's pointers */
    uint64_t launches, timed, time_ns;
};

/* Bytes of memory, at most CAP_BLOCK_BYTES. Identifier 0 stands for one of zeros. */
struct cap_block {
    uint32_t id;
    uint32_t bytes; /* behind it */
};

/* Content of a range of memory: blocks of CAP_BLOCK_BYTES, the last one shorter. Followed by:
 * uint32_t identifiers. */
struct cap_content {
    uint32_t id;
    uint32_t block_count;
    uint64_t bytes;
};

enum cap_entry {
    CAP_LAUNCH_KERNEL,
    CAP_LAUNCH_KERNEL_EX,
    CAP_LAUNCH_COOPERATIVE,
    CAP_GRAPH_NODE, /* added to a graph; no contents */
};
enum cap_stream {
    CAP_STREAM_LEGACY,     /* the default one */
    CAP_STREAM_PER_THREAD, /* the thread's default one */
    CAP_STREAM_OTHER,
    CAP_STREAM_CAPTURING, /* being captured into a graph; no contents */
};

/* Why something of a launch is not here: bits. */
enum cap_left_out {
    CAP_LEFT_TOO_LARGE = 1 << 0,  /* memory beyond the limit of bytes */
    CAP_LEFT_UNREADABLE = 1 << 1, /* the driver's copy failed */
    CAP_LEFT_TEXTURE = 1 << 2,    /* a parameter is a texture or surface object */
    CAP_LEFT_CAPTURING = 1 << 3,  /* a stream of the program was being captured */
    CAP_LEFT_LAYOUT = 1 << 4,     /* unknown parameter sizes */
    CAP_LEFT_WRITING = 1 << 5,    /* the disk is full, or the file failed */
    CAP_LEFT_BUFFERS = 1 << 6,    /* too many buffers, or too many addresses in them */
    /* 1 << 7 is free */
    CAP_LEFT_AFTER = 1 << 8,   /* the launch failed, or the program ended: contents before only */
    CAP_LEFT_ARRAY = 1 << 9,   /* memory that is no plain range */
    CAP_LEFT_MEMORY = 1 << 10, /* the host's memory was short */
    CAP_LEFT_IMAGE = 1 << 11,  /* the image was loaded unseen */
};

/* A kept launch. Followed by, in this order: parameter block, attributes, buffers, pointers, texts
 * of the buffers' names. */
struct cap_launch {
    uint64_t sequence;        /* among all launches of the process, from 0 */
    uint64_t kernel_sequence; /* ordinal among the kernel's launches, from 0 */
    int64_t at_ns;            /* since the process's start */
    uint64_t time_ns;         /* kernel time by events; 0: not timed */
    uint32_t kernel, device;  /* identifier; ordinal */
    uint32_t entry, stream;   /* enum cap_entry, enum cap_stream */
    uint32_t grid[CAP_DIMENSIONS], block[CAP_DIMENSIONS], cluster[CAP_DIMENSIONS];
    uint32_t shared_bytes;
    uint32_t left_out; /* enum cap_left_out */
    int32_t result;    /* driver's result of the launch, 0 or an error */
    uint32_t parameter_bytes;
    uint32_t attribute_count, buffer_count, pointer_count;
    uint32_t name_bytes;
    uint32_t none;
};

/* As CUlaunchAttribute. */
struct cap_attribute {
    uint32_t id;
    uint32_t none;
    uint8_t value[64];
};

enum cap_memory {
    CAP_MEMORY_DEVICE,
    CAP_MEMORY_MANAGED,
    CAP_MEMORY_HOST,     /* pinned, or registered */
    CAP_MEMORY_VARIABLE, /* __device__ */
    CAP_MEMORY_CONSTANT, /* __constant__, or another variable whose address is no pointer of the
                            program's */
};

/* An allocation that a pointer leads into, or a variable of the image. Contents of 0: none kept. */
struct cap_buffer {
    uint64_t address, bytes;
    uint32_t memory; /* enum cap_memory */
    uint32_t device;
    uint32_t before, after; /* contents; equal identifiers if unchanged */
    uint32_t left_out;      /* why there are none */
    uint32_t name_offset; /* in the texts behind: a variable's name; "" (offset 0): an allocation */
};

#define CAP_IN_PARAMETERS UINT32_MAX

/* An address in the parameter block, or in a buffer's content before the launch. */
struct cap_pointer {
    uint32_t holder; /* CAP_IN_PARAMETERS or the index of a buffer */
    uint32_t buffer; /* index of the buffer pointed to */
    uint64_t at;     /* offset in the holder */
    uint64_t offset; /* offset in that buffer, at most its size (one past the end) */
};

/* Gaps of the recording, each kind once. Followed by: a text for users. */
enum cap_note_kind {
    CAP_NOTE_GRAPH,    /* graphs were launched */
    CAP_NOTE_DEEPBIND, /* a library was opened with RTLD_DEEPBIND, or in a separate namespace */
    CAP_NOTE_MULTI_DEVICE,
    CAP_NOTE_TABLE, /* more kernels than there was room for */
    CAP_NOTE_DISK,
    CAP_NOTE_EVENTS, /* launches whose times were not read */
    CAP_NOTE_KINDS
};
struct cap_note {
    uint32_t kind;
    uint32_t text_bytes;
    uint64_t count;
};

/* The last record of a whole file. */
struct cap_end {
    uint64_t bytes;               /* file length before this record's head */
    uint8_t hash[CAP_HASH_BYTES]; /* of these */
};

#endif
