import { describe, expect, it } from "@effect/vitest"
import * as Utf8 from "@tollgate/contract/Utf8"
import { taskBody, taskProtocol } from "../../../src/upstream/protocols/task.ts"

const { createdAnswer, pollRequest, readCreated, readPoll } = taskProtocol

const bytesOf = (output: object, more: object = {}) =>
  Utf8.encode(JSON.stringify({ output: { task_id: "t", ...output }, ...more }))
const answerOf = (bytes: Uint8Array) => ({ status: 200, contentType: "application/json", headers: {}, bytes })

describe("the answer to a create", () => {
  it("starts a task as soon as it names one, and never finishes it", () => {
    for (const [said, status] of [
      ["PENDING", "PENDING"],
      ["RUNNING", "RUNNING"],
      ["SUCCEEDED", "PENDING"],
      ["odd", "PENDING"],
      [undefined, "PENDING"]
    ] as const) {
      expect(readCreated(answerOf(bytesOf({ task_status: said, video_url: "https://x" })))).toEqual({
        id: "t",
        status,
        output: { task_status: status }
      })
    }
    expect(readCreated(answerOf(bytesOf({ task_id: "a b" })))).toBe(undefined)
  })

  it("goes to the caller unchanged, except for the task's id and a missing request id", () => {
    const created = (more: object) =>
      Utf8.decode(createdAnswer(answerOf(bytesOf({ task_status: "PENDING" }, more)), "ours", "req_1").bytes)
    expect(created({ request_id: "theirs", more: 1 })).toBe(
      '{"output":{"task_id":"ours","task_status":"PENDING"},"request_id":"theirs","more":1}'
    )
    expect(JSON.parse(created({ request_id: null }))).toMatchObject({ request_id: "req_1" })
    expect(JSON.parse(created({}))).toMatchObject({ request_id: "req_1" })
  })
})

describe("a poll", () => {
  it("escapes the upstream's id in the path, and carries the request id of the create", () => {
    expect(pollRequest("a/b?c", "req_1")).toEqual({
      method: "GET",
      path: "/apis/v1/services/aigc/tasks/a%2Fb%3Fc",
      headers: { accept: "application/json", "accept-encoding": "identity", "x-request-id": "req_1" },
      body: undefined
    })
  })

  it("ignores an answer without a known status, or a success without a video", () => {
    for (const output of [
      {},
      { task_status: "done" },
      { task_status: "SUCCEEDED" },
      { task_status: "SUCCEEDED", video_url: "" },
      { task_status: "RUNNING", task_id: "" }
    ]) {
      expect(readPoll(bytesOf(output), "t1")).toBe(undefined)
    }
    expect(readPoll(bytesOf({ task_status: "SUCCEEDED", video_url: "https://x" }), "t1")?.status).toBe("SUCCEEDED")
  })
})

describe("what callers see of a task", () => {
  const shown = (output: object, createdAt: number, now: number): unknown =>
    JSON.parse(taskBody("ours", readPoll(bytesOf(output), "t1")!, createdAt, now))

  it("has times in the contract's format, or none", () => {
    expect(
      shown(
        { task_status: "FAILED", submit_time: "1970-01-01T00:00:00Z", scheduled_time: "soon", end_time: 5 },
        1_000,
        61_500
      )
    ).toEqual({
      output: {
        task_id: "ours",
        task_status: "FAILED",
        submit_time: "1970-01-01 00:00:01.000",
        end_time: "1970-01-01 00:01:01.500"
      }
    })
    const running = { task_status: "RUNNING", submit_time: "2026-01-31 10:00:00.123", odd: [1], end_time: null }
    expect(shown(running, 0, 5_000)).toEqual({
      output: { task_id: "ours", task_status: "RUNNING", submit_time: "2026-01-31 10:00:00.123", odd: [1] }
    })
  })
})
