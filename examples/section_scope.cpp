// SPDX-License-Identifier: MIT
// sigzero::section, the life of an object as a section: it ends where an exception leaves it.
//
// Build:  c++ -O2 -g -o section_scope_cpp examples/section_scope.cpp $(pkg-config --cflags --libs sigzero)
// Then:   ./section_scope_cpp
#include <sigzero.h>

#include <csignal>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

// Neither the map nor the memory it allocates is ever found half changed by a handler, as long as
// everything that a handler shares is reached through sections.
class Counters {
	std::map<std::string, int> counts;

public:
	void add(const std::string &name)
	{
		sigzero::section guard;
		if (name.empty())
			throw std::invalid_argument("a counter needs a name");
		counts[name]++;
	}

	int of(const std::string &name) const
	{
		sigzero::section guard;
		auto found = counts.find(name);
		return found == counts.end() ? 0 : found->second;
	}
};

static Counters counters;

int main()
{
	std::signal(SIGUSR1, [](int) {
		sigzero::section guard;
		counters.add("signals");
	});
	int thrown = 0;
	for (int i = 0; i < 1000; i++) {
		sigzero::section guard; // new and delete outside of Counters are main's own
		std::raise(SIGUSR1);
		try {
			counters.add(i % 10 ? "main" : "");
		} catch (const std::invalid_argument &) {
			thrown++;
		}
	}
	std::cout << counters.of("main") << " from main, " << counters.of("signals")
	          << " from signals, " << thrown << " thrown\n";
	return counters.of("main") != 900 || counters.of("signals") != 1000 || thrown != 100 ||
	       sigzero_blocked();
}
