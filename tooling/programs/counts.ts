/** `pnpm test:all` sets it. Matrices (hosts, stores, SDKs) run whole then, and one of each in `pnpm test`. */
export const isAll = process.env.TEST_ALL === "1"

/** Files that only `pnpm test:all` runs, or who names them: those that start a program or a server, but for a dozen. */
export const slowFiles = "**/*.slow.test.ts"

/** How often a test repeats something: few times in `pnpm test`, many in `pnpm test:all`, or what the environment variable says. */
export const countOf = (variable: string, few: number, many: number): number =>
  Number(process.env[variable] ?? (isAll ? many : few))
