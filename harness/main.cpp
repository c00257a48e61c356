#include "harness/cli.hpp"

int main(int argc, char** argv) { return parallax::cli_main(argc, argv, parallax::all_backends()); }
