/** `pnpm test:all` sets it. */
export const isAll = process.env.TEST_ALL === "1"

/** Files that only `pnpm test:all` runs, or who names them. */
export const slowFiles = "**/*.slow.test.ts"

/** How often a test repeats something: few times in `pnpm test`, many in `pnpm test:all`, or what the environment variable says. */
export const countOf = (variable: string, few: number, many: number): number =>
  Number(process.env[variable] ?? (isAll ? many : few))
