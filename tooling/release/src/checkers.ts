import { availableParallelism } from "node:os"

/** Options of `tsc`. Each of its checkers works out anew what their files share, so a few cores do best with one. */
export const checkers = ["--checkers", String(Math.ceil(availableParallelism() / 2))]
