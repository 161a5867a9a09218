import { afterEach } from "vitest"
import { type Program, start } from "./program.ts"

/** One that a test has suspended gets its signal only when it goes on. */
const end = (program: Program) => {
  program.child.kill("SIGCONT")
  return program.stop()
}

/** Starts programs that are stopped after each test. */
export const programs = () => {
  const running: Array<Program> = []
  afterEach(() => Promise.all(running.splice(0).map(end)))
  return (...given: Parameters<typeof start>): Program => {
    const program = start(...given)
    running.push(program)
    return program
  }
}
