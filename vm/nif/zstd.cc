// The native functions of OTP's module zstd (28 and later), on libzstd.
//
// A context is a resource that belongs to the process that made it; a dictionary is one that any
// process may use, and that a context which refers to it keeps. Compressing and decompressing are
// the same functions over two kinds of context (Compression, Decompression).
#define ZSTD_STATIC_LINKING_ONLY  // parameters that can be read, headers of frames
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "term/atom.h"
#include "vm/nif/environment.h"
#include "vm/nif/static_libraries.h"

namespace wb {
namespace {

#define NIF(name) \
  ERL_NIF_TERM name([[maybe_unused]] ErlNifEnv* env, int argc, const ERL_NIF_TERM* a)

/// The library's private data.
struct Types {
  ErlNifResourceType *compression, *decompression, *compression_dictionary,
      *decompression_dictionary;
};

struct Compression {
  using Handle = ZSTD_CCtx;
  using Dictionary = ZSTD_CDict;
  using Parameter = ZSTD_cParameter;
  static constexpr auto kType = &Types::compression;
  static constexpr auto kDictionaryType = &Types::compression_dictionary;
  static constexpr const char* kBadDictionary = "invalid_compress_dict";
  static Handle* make() { return ZSTD_createCCtx(); }
  static void free(Handle* h) { ZSTD_freeCCtx(h); }
  static void reset(Handle* h) { ZSTD_CCtx_reset(h, ZSTD_reset_session_only); }
  static size_t load(Handle* h, const ErlNifBinary& b) {
    return ZSTD_CCtx_loadDictionary(h, b.data, b.size);
  }
  static size_t refer(Handle* h, const Dictionary* d) { return ZSTD_CCtx_refCDict(h, d); }
  static size_t set(Handle* h, Parameter p, int value) {
    return ZSTD_CCtx_setParameter(h, p, value);
  }
  static size_t get(Handle* h, Parameter p, int* value) {
    return ZSTD_CCtx_getParameter(h, p, value);
  }
  static Dictionary* make_dictionary(const ErlNifBinary& b, int level) {
    return ZSTD_createCDict(b.data, b.size, level);
  }
  static void free(Dictionary* d) { ZSTD_freeCDict(d); }
  static unsigned id(const Dictionary* d) { return ZSTD_getDictID_fromCDict(d); }
  static size_t run(Handle* h, ZSTD_outBuffer* out, ZSTD_inBuffer* in, int end) {
    return ZSTD_compressStream2(h, out, in, static_cast<ZSTD_EndDirective>(end));
  }
  static size_t first_chunk(const ErlNifBinary&) { return chunk(); }
  static size_t chunk() { return ZSTD_CStreamOutSize(); }
};

struct Decompression {
  using Handle = ZSTD_DCtx;
  using Dictionary = ZSTD_DDict;
  using Parameter = ZSTD_dParameter;
  static constexpr auto kType = &Types::decompression;
  static constexpr auto kDictionaryType = &Types::decompression_dictionary;
  static constexpr const char* kBadDictionary = "invalid_decompress_dict";
  static Handle* make() { return ZSTD_createDCtx(); }
  static void free(Handle* h) { ZSTD_freeDCtx(h); }
  static void reset(Handle* h) { ZSTD_DCtx_reset(h, ZSTD_reset_session_only); }
  static size_t load(Handle* h, const ErlNifBinary& b) {
    return ZSTD_DCtx_loadDictionary(h, b.data, b.size);
  }
  static size_t refer(Handle* h, const Dictionary* d) { return ZSTD_DCtx_refDDict(h, d); }
  static size_t set(Handle* h, Parameter p, int value) {
    return ZSTD_DCtx_setParameter(h, p, value);
  }
  static size_t get(Handle* h, Parameter p, int* value) {
    return ZSTD_DCtx_getParameter(h, p, value);
  }
  static Dictionary* make_dictionary(const ErlNifBinary& b, int) {
    return ZSTD_createDDict(b.data, b.size);
  }
  static void free(Dictionary* d) { ZSTD_freeDDict(d); }
  static unsigned id(const Dictionary* d) { return ZSTD_getDictID_fromDDict(d); }
  static size_t run(Handle* h, ZSTD_outBuffer* out, ZSTD_inBuffer* in, int) {
    return ZSTD_decompressStream(h, out, in);
  }
  /// No more than the whole takes, if that is said.
  static size_t first_chunk(const ErlNifBinary& b) {
    const unsigned long long size = ZSTD_findDecompressedSize(b.data, b.size);
    const bool is_known = size != ZSTD_CONTENTSIZE_UNKNOWN && size != ZSTD_CONTENTSIZE_ERROR;
    return is_known ? std::min<unsigned long long>(size, chunk()) : chunk();
  }
  static size_t chunk() { return ZSTD_DStreamOutSize(); }
};

template <class Z>
struct Context {
  typename Z::Handle* handle;  ///< null: closed
  ErlNifEnv* kept;             ///< has the dictionary it refers to; null: there is none
  ErlNifPid owner;
  bool started;
};
template <class Z>
struct Dictionary {
  typename Z::Dictionary* handle;
};

// --- answers -------------------------------------------------------------------------------------
Term atom(ErlNifEnv* env, const char* name) { return enif_make_atom(env, name); }

Term failed(ErlNifEnv* env, size_t code) {
  const char* name = ZSTD_getErrorName(code);
  ERL_NIF_TERM text;
  memcpy(enif_make_new_binary(env, strlen(name), &text), name, strlen(name));
  return enif_raise_exception(env, enif_make_tuple2(env, atom(env, "zstd_error"), text));
}
Term done(ErlNifEnv* env, size_t code) { return ZSTD_isError(code) ? failed(env, code) : am::ok; }
/// {badarg, {What, Term}}
Term refused(ErlNifEnv* env, const char* what, Term t) {
  return enif_raise_exception(
      env, enif_make_tuple2(env, am::badarg, enif_make_tuple2(env, atom(env, what), t)));
}

const Types& types(ErlNifEnv* env) { return *static_cast<const Types*>(enif_priv_data(env)); }

/// Null: an exception is raised, whose term is *raised.
template <class Z>
Context<Z>* context_of(ErlNifEnv* env, Term t, ERL_NIF_TERM* raised) {
  void* found;
  if (!enif_get_resource(env, t, types(env).*Z::kType, &found) ||
      !static_cast<Context<Z>*>(found)->handle)
    return *raised = enif_make_badarg(env), nullptr;
  auto* context = static_cast<Context<Z>*>(found);
  ErlNifPid self;
  enif_self(env, &self);
  if (self.pid == context->owner.pid) return context;
  *raised = enif_raise_exception(env, atom(env, "not_on_controlling_process"));
  return nullptr;
}

// --- contexts ------------------------------------------------------------------------------------
template <class Z>
void close(Context<Z>* c) {
  if (c->handle) Z::free(c->handle);
  if (c->kept) enif_free_env(c->kept);
  c->handle = nullptr;
  c->kept = nullptr;
}
template <class Z>
void destroy_context(ErlNifEnv*, void* c) {
  close(static_cast<Context<Z>*>(c));
}

template <class Z>
NIF(make_context) {
  auto* handle = Z::make();
  if (!handle) return enif_raise_exception(env, atom(env, "enomem"));
  auto* c = static_cast<Context<Z>*>(enif_alloc_resource(types(env).*Z::kType, sizeof(Context<Z>)));
  *c = {.handle = handle, .kept = nullptr, .owner = {}, .started = false};
  enif_self(env, &c->owner);
  const Term made = enif_make_resource(env, c);
  enif_release_resource(c);
  return made;
}

template <class Z>
NIF(reset_context) {
  ERL_NIF_TERM raised;
  auto* c = context_of<Z>(env, a[0], &raised);
  if (!c) return raised;
  Z::reset(c->handle);
  c->started = false;
  return am::ok;
}
template <class Z>
NIF(close_context) {
  ERL_NIF_TERM raised;
  auto* c = context_of<Z>(env, a[0], &raised);
  if (!c) return raised;
  close(c);
  return am::ok;
}

NIF(set_source_size) {
  ERL_NIF_TERM raised;
  auto* c = context_of<Compression>(env, a[0], &raised);
  if (!c) return raised;
  ErlNifUInt64 size;
  if (!enif_get_uint64(env, a[1], &size)) return enif_make_badarg(env);
  return done(env, ZSTD_CCtx_setPledgedSrcSize(c->handle, size));
}

// --- parameters ----------------------------------------------------------------------------------
enum class Values : uint8_t { numbers, booleans, strategies };
struct Named {
  const char* name;
  int number;
  Values values;
};
constexpr Named kParameters[] = {
    {"compressionLevel", ZSTD_c_compressionLevel, Values::numbers},
    {"windowLog", ZSTD_c_windowLog, Values::numbers},
    {"hashLog", ZSTD_c_hashLog, Values::numbers},
    {"chainLog", ZSTD_c_chainLog, Values::numbers},
    {"searchLog", ZSTD_c_searchLog, Values::numbers},
    {"minMatch", ZSTD_c_minMatch, Values::numbers},
    {"targetLength", ZSTD_c_targetLength, Values::numbers},
    {"strategy", ZSTD_c_strategy, Values::strategies},
    {"targetCBlockSize", ZSTD_c_targetCBlockSize, Values::numbers},
    {"enableLongDistanceMatching", ZSTD_c_enableLongDistanceMatching, Values::booleans},
    {"ldmHashLog", ZSTD_c_ldmHashLog, Values::numbers},
    {"ldmMinMatch", ZSTD_c_ldmMinMatch, Values::numbers},
    {"ldmBucketSizeLog", ZSTD_c_ldmBucketSizeLog, Values::numbers},
    {"ldmHashRateLog", ZSTD_c_ldmHashRateLog, Values::numbers},
    {"contentSizeFlag", ZSTD_c_contentSizeFlag, Values::booleans},
    {"checksumFlag", ZSTD_c_checksumFlag, Values::booleans},
    {"dictIDFlag", ZSTD_c_dictIDFlag, Values::booleans},
};
constexpr Named kReading[] = {{"windowLogMax", ZSTD_d_windowLogMax, Values::numbers}};
/// By number.
constexpr const char* kStrategies[] = {"default", "fast",    "dfast", "greedy",  "lazy",
                                       "lazy2",   "btlazy2", "btopt", "btultra", "btultra2"};

template <size_t N>
const Named* named(const Named (&list)[N], Term name) {
  if (!is_atom(name)) return nullptr;
  const Named* found =
      std::find_if(list, list + N, [&](const Named& n) { return atom_text(name) == n.name; });
  return found == list + N ? nullptr : found;
}

bool value_of(ErlNifEnv* env, const Named& parameter, Term t, int* value) {
  switch (parameter.values) {
    case Values::numbers:
      return enif_get_int(env, t, value);
    case Values::booleans:
      *value = t == am::true_;
      return t == am::true_ || t == am::false_;
    case Values::strategies: {
      if (!is_atom(t)) return false;
      auto* found = std::ranges::find(kStrategies, atom_text(t));
      *value = static_cast<int>(found - kStrategies);
      return found != std::end(kStrategies);
    }
  }
  return false;
}

NIF(set_compression) {
  ERL_NIF_TERM raised;
  auto* c = context_of<Compression>(env, a[0], &raised);
  if (!c) return raised;
  const Named* parameter = named(kParameters, a[1]);
  if (!parameter) return refused(env, "invalid_key", a[1]);
  int value;
  if (!value_of(env, *parameter, a[2], &value)) return refused(env, "invalid_value", a[2]);
  const auto number = static_cast<ZSTD_cParameter>(parameter->number);
  return done(env, Compression::set(c->handle, number, value));
}
NIF(get_compression) {
  ERL_NIF_TERM raised;
  auto* c = context_of<Compression>(env, a[0], &raised);
  if (!c) return raised;
  const Named* parameter = named(kParameters, a[1]);
  if (!parameter) return refused(env, "invalid_key", a[1]);
  int value;
  const auto number = static_cast<ZSTD_cParameter>(parameter->number);
  const size_t code = Compression::get(c->handle, number, &value);
  if (ZSTD_isError(code)) return failed(env, code);
  switch (parameter->values) {
    case Values::booleans:
      return am::false_;  // which OTP says of every flag, whatever it is
    case Values::strategies:
      return atom(env, kStrategies[std::clamp(value, 0, 9)]);
    case Values::numbers:
      break;
  }
  return enif_make_int(env, value);
}

NIF(set_decompression) {
  ERL_NIF_TERM raised;
  auto* c = context_of<Decompression>(env, a[0], &raised);
  if (!c) return raised;
  int value;
  if (!enif_get_int(env, a[2], &value)) return enif_make_badarg(env);
  const Named* parameter = named(kReading, a[1]);
  if (!parameter) return refused(env, "invalid_key", a[1]);
  return done(env, Decompression::set(c->handle, ZSTD_d_windowLogMax, value));
}
NIF(get_decompression) {
  ERL_NIF_TERM raised;
  auto* c = context_of<Decompression>(env, a[0], &raised);
  if (!c) return raised;
  if (!named(kReading, a[1])) return refused(env, "invalid_key", a[1]);
  int value;
  const size_t code = Decompression::get(c->handle, ZSTD_d_windowLogMax, &value);
  return ZSTD_isError(code) ? failed(env, code) : enif_make_int(env, value);
}

// --- dictionaries --------------------------------------------------------------------------------
template <class Z>
NIF(load_dictionary) {
  ERL_NIF_TERM raised;
  auto* c = context_of<Z>(env, a[0], &raised);
  if (!c) return raised;
  ErlNifBinary bytes;
  if (!enif_inspect_iolist_as_binary(env, a[1], &bytes)) return enif_make_badarg(env);
  const size_t code = Z::load(c->handle, bytes);  // a copy
  if (c->kept) enif_free_env(c->kept);
  c->kept = nullptr;
  return done(env, code);
}

template <class Z>
Dictionary<Z>* dictionary_of(ErlNifEnv* env, Term t) {
  void* found;
  return enif_get_resource(env, t, types(env).*Z::kDictionaryType, &found)
             ? static_cast<Dictionary<Z>*>(found)
             : nullptr;
}
template <class Z>
NIF(refer_to_dictionary) {
  ERL_NIF_TERM raised;
  auto* c = context_of<Z>(env, a[0], &raised);
  if (!c) return raised;
  const auto* d = dictionary_of<Z>(env, a[1]);
  if (!d) return enif_make_badarg(env);
  const size_t code = Z::refer(c->handle, d->handle);
  if (ZSTD_isError(code)) return failed(env, code);
  ErlNifEnv* before = c->kept;
  c->kept = enif_alloc_env();
  enif_make_copy(c->kept, a[1]);
  if (before) enif_free_env(before);
  return am::ok;
}

template <class Z>
void destroy_dictionary(ErlNifEnv*, void* d) {
  Z::free(static_cast<Dictionary<Z>*>(d)->handle);
}
template <class Z>
NIF(make_dictionary) {
  ErlNifBinary bytes;
  int level = 0;
  if (!enif_inspect_binary(env, a[0], &bytes) || (argc == 2 && !enif_get_int(env, a[1], &level)))
    return enif_make_badarg(env);
  auto* handle = Z::make_dictionary(bytes, level);
  if (!handle) return enif_make_tuple2(env, am::error, atom(env, Z::kBadDictionary));
  auto* d = static_cast<Dictionary<Z>*>(
      enif_alloc_resource(types(env).*Z::kDictionaryType, sizeof(Dictionary<Z>)));
  d->handle = handle;
  const Term made = enif_make_resource(env, d);
  enif_release_resource(d);
  return made;
}
template <class Z>
NIF(dictionary_id) {
  const auto* d = dictionary_of<Z>(env, a[0]);
  return d ? enif_make_uint(env, Z::id(d->handle)) : enif_make_badarg(env);
}
template <unsigned (*id)(const void*, size_t)>
NIF(id_in_bytes) {
  ErlNifBinary b;
  if (!enif_inspect_iolist_as_binary(env, a[0], &b)) return enif_make_badarg(env);
  return enif_make_uint(env, id(b.data, b.size));
}

// --- data ----------------------------------------------------------------------------------------
constexpr size_t kBytesPerReduction = 1024;

/// {continue, Out}, {continue, Rest, Out} when there was no more room, {done, Out}, or {flush,
/// Out}: all is read, and more is to come out.
template <class Z>
Term some_more(ErlNifEnv* env, Context<Z>* c, Term data, const ErlNifBinary& bytes, int end) {
  ErlNifBinary out;
  const size_t room = c->started ? Z::chunk() : Z::first_chunk(bytes);
  c->started = true;
  if (!enif_alloc_binary(room, &out)) return enif_make_badarg(env);
  ZSTD_inBuffer in = {bytes.data, bytes.size, 0};
  ZSTD_outBuffer to = {out.data, out.size, 0};
  size_t left;
  do {
    left = Z::run(c->handle, &to, &in, end);
  } while (!ZSTD_isError(left) && in.pos < in.size && to.pos < to.size);
  if (ZSTD_isError(left)) {
    enif_release_binary(&out);
    Z::reset(c->handle);
    c->started = false;
    return failed(env, left);
  }
  const bool is_full = to.pos == to.size;
  enif_realloc_binary(&out, to.pos);
  const Term made = enif_make_binary(env, &out);
  enif_consume_timeslice(env,
                         static_cast<int>(std::clamp<size_t>(in.pos / kBytesPerReduction, 1, 100)));
  if (in.pos < in.size) {
    const Term rest = enif_make_sub_binary(env, data, in.pos, in.size - in.pos);
    return enif_make_tuple3(env, atom(env, "continue"), rest, made);
  }
  const char* what = !end ? "continue" : is_full && left > 0 ? "flush" : "done";
  return enif_make_tuple2(env, atom(env, what), made);
}
template <class Z>
NIF(stream) {
  ERL_NIF_TERM raised;
  auto* c = context_of<Z>(env, a[0], &raised);
  if (!c) return raised;
  ErlNifBinary bytes;
  int end;
  if (!enif_inspect_binary(env, a[1], &bytes) || !enif_get_int(env, a[2], &end) ||
      end < ZSTD_e_continue || end > ZSTD_e_end)
    return enif_make_badarg(env);
  return some_more(env, c, a[1], bytes, end);
}

NIF(frame_header) {
  ErlNifBinary b;
  if (!enif_inspect_iolist_as_binary(env, a[0], &b)) return enif_make_badarg(env);
  ZSTD_frameHeader h;
  const size_t code = ZSTD_getFrameHeader(&h, b.data, b.size);
  if (ZSTD_isError(code)) return failed(env, code);
  if (code != 0) h = {};  // so many bytes are needed
  if (h.frameType == ZSTD_skippableFrame) h.headerSize = ZSTD_SKIPPABLEHEADERSIZE;  // 0 until 1.5.5
  const bool has_size = h.frameContentSize != ZSTD_CONTENTSIZE_UNKNOWN;
  const bool is_frame = h.frameType == ZSTD_frame;
  const std::pair<const char*, Term> parts[] = {
      {"frameContentSize", has_size ? enif_make_uint64(env, h.frameContentSize) : am::undefined},
      {"windowSize", enif_make_uint64(env, h.windowSize)},
      {"blockSizeMax", enif_make_uint(env, h.blockSizeMax)},
      {"frameType", atom(env, is_frame ? "ZSTD_frame" : "ZSTD_skippableFrame")},
      {"headerSize", enif_make_uint(env, h.headerSize)},
      {"dictID", enif_make_uint(env, h.dictID)},
      {"checksumFlag", h.checksumFlag ? am::true_ : am::false_},
  };
  ERL_NIF_TERM map = enif_make_new_map(env);
  for (auto& [name, value] : parts) enif_make_map_put(env, map, atom(env, name), value, &map);
  return enif_make_tuple2(env, am::ok, map);
}

// --- the library ---------------------------------------------------------------------------------
ErlNifResourceType* open_type(ErlNifEnv* env, const char* name, ErlNifResourceDtor* destroy) {
  ErlNifResourceTypeInit init = {};
  init.dtor = destroy;
  init.members = 1;
  const auto flags = static_cast<ErlNifResourceFlags>(ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER);
  return enif_init_resource_type(env, name, &init, flags, nullptr);
}
int open_types(ErlNifEnv* env, void** data) {
  auto* t = static_cast<Types*>(enif_alloc(sizeof(Types)));
  t->compression = open_type(env, "compression", destroy_context<Compression>);
  t->decompression = open_type(env, "decompression", destroy_context<Decompression>);
  t->compression_dictionary =
      open_type(env, "compression_dictionary", destroy_dictionary<Compression>);
  t->decompression_dictionary =
      open_type(env, "decompression_dictionary", destroy_dictionary<Decompression>);
  *data = t;
  return 0;
}
int load(ErlNifEnv* env, void** data, ERL_NIF_TERM) { return open_types(env, data); }
int upgrade(ErlNifEnv* env, void** data, void**, ERL_NIF_TERM) { return open_types(env, data); }
void unload(ErlNifEnv*, void* data) { enif_free(data); }

constexpr unsigned kDirty = ERL_NIF_DIRTY_JOB_CPU_BOUND;
ErlNifFunc functions[] = {
    {"init_compress_nif", 0, make_context<Compression>, 0},
    {"init_decompress_nif", 0, make_context<Decompression>, 0},
    {"load_compress_dictionary_nif", 2, load_dictionary<Compression>, kDirty},
    {"load_decompress_dictionary_nif", 2, load_dictionary<Decompression>, kDirty},
    {"ref_compress_dictionary_nif", 2, refer_to_dictionary<Compression>, 0},
    {"ref_decompress_dictionary_nif", 2, refer_to_dictionary<Decompression>, 0},
    {"set_compress_parameter_nif", 3, set_compression, 0},
    {"get_compress_parameter_nif", 2, get_compression, 0},
    {"set_decompress_parameter_nif", 3, set_decompression, 0},
    {"get_decompress_parameter_nif", 2, get_decompression, 0},
    {"set_pledged_src_size_nif", 2, set_source_size, 0},
    {"compress_stream_nif", 3, stream<Compression>, 0},
    {"decompress_stream_nif", 3, stream<Decompression>, 0},
    {"compress_reset_nif", 1, reset_context<Compression>, 0},
    {"decompress_reset_nif", 1, reset_context<Decompression>, 0},
    {"compress_close_nif", 1, close_context<Compression>, 0},
    {"decompress_close_nif", 1, close_context<Decompression>, 0},
    {"create_cdict_nif", 2, make_dictionary<Compression>, kDirty},
    {"create_ddict_nif", 1, make_dictionary<Decompression>, kDirty},
    {"getDictId_fromCDict_nif", 1, dictionary_id<Compression>, 0},
    {"getDictId_fromDDict_nif", 1, dictionary_id<Decompression>, 0},
    {"getDictId_fromDict_nif", 1, id_in_bytes<ZSTD_getDictID_fromDict>, 0},
    {"getDictId_fromFrame_nif", 1, id_in_bytes<ZSTD_getDictID_fromFrame>, 0},
    {"get_frame_header_nif", 1, frame_header, 0},
};

}  // namespace

const ErlNifEntry* zstd_library() {
  static const ErlNifEntry entry = {
      .major = ERL_NIF_MAJOR_VERSION,
      .minor = ERL_NIF_MINOR_VERSION,
      .name = "zstd",
      .num_of_funcs = static_cast<int>(std::size(functions)),
      .funcs = functions,
      .load = load,
      .reload = nullptr,
      .upgrade = upgrade,
      .unload = unload,
      .vm_variant = ERL_NIF_VM_VARIANT,
      .options = 1,
      .sizeof_ErlNifResourceTypeInit = sizeof(ErlNifResourceTypeInit),
      .min_erts = ERL_NIF_MIN_ERTS_VERSION,
  };
  return &entry;
}

}  // namespace wb
