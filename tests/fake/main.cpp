#include <exception>
#include <iostream>

#include "harness/cli.hpp"
#include "tests/fake/fake.hpp"

int main(int argc, char** argv) {
  try {
    return parallax::cli_main(argc, argv, parallax::fake::backends_from_environment());
  } catch (const std::exception& error) {
    // 70 is no exit code of the command line, so a bad script never passes for a result.
    std::cerr << "parallax-fake: bad script: " << error.what() << '\n';
    return 70;
  }
}
