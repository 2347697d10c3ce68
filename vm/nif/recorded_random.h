// Random numbers of OpenSSL in a recorded run.
//
// A native library is run in the replay as it was in the recorded run, and what it asks of the
// system itself nobody sees. Of crypto that is one thing: where its keys, nonces and random bytes
// come from. OpenSSL lets a program say where (RAND_set_rand_method); here they come from the
// system by a call that is kept (base/recording.h), so the replay has the same keys.
#pragma once

namespace wb {

/// If OpenSSL's library is loaded, by whatever has just been loaded. More than once: nothing.
void record_random_numbers();

}  // namespace wb
