"""What the scripts among the tests count: checks that were made, and those that found a fault."""


class Checks:
    def __init__(self):
        self.done, self.wrong = 0, 0

    def that(self, right, words):
        self.done += 1
        if not right:
            self.wrong += 1
            print("WRONG  " + words, flush=True)
