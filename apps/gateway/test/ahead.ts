import { afterAll, beforeAll } from "vitest"

/** For a test that would have to wait until a time is over: the gateway in this process, and the test, go ahead in time. */
export const timeAhead = (): ((millis: number) => Promise<void>) => {
  const { now } = Date
  let ahead = 0
  beforeAll(() => {
    Date.now = () => now() + ahead
  })
  afterAll(() => {
    Date.now = now
  })
  return (millis) => {
    ahead += millis
    // What the gateway does at that time gets a turn.
    return new Promise((resolve) => setTimeout(resolve, 5))
  }
}
