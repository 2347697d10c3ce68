// All unit tests run for one instance (base/instance.h), unless they make one of their own.
#define CATCH_CONFIG_RUNNER
#define CATCH_CONFIG_DISABLE_EXCEPTIONS
#include <catch2/catch.hpp>

#include "term/instance.h"

int main(int argc, char** argv) {
  wb::TermInstance instance;
  wb::InstanceScope scope(instance);
  return Catch::Session().run(argc, argv);
}
