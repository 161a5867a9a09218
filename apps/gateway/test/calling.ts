import { request } from "node:http"

const body = JSON.stringify({ query: "q", documents: ["a", "b"] })

/** A call on a connection of its own. Returns the status, or what went wrong. */
export const call = (address: string, key: string): Promise<number | string> =>
  new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    request(`${address}/v1/rerank`, { method: "POST", agent: false, headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0))
    })
      .once("error", (error) => resolve(String(error)))
      .end(body)
  })

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Calls, several at a time, until it is told to stop. */
export const calling = (address: string, key: string) => {
  const statuses = new Map<number | string, number>()
  let isEnding = false
  const callOn = async () => {
    while (!isEnding) {
      const status = await call(address, key)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      await pause(20)
    }
  }
  const callers = Array.from({ length: 3 }, callOn)
  const count = () => [...statuses.values()].reduce((a, b) => a + b, 0)
  return {
    /** Waits for so many calls more. */
    more: async (calls: number) => {
      const until = count() + calls
      while (count() < until) await pause(5)
    },
    /** Returns how many calls were answered how. */
    end: async () => {
      isEnding = true
      await Promise.all(callers)
      return statuses
    }
  }
}
