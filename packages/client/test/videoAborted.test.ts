import { describe, expect, it } from "vitest"
import { videoCreate } from "@tollgate/client"
import { later, testClient } from "@tollgate/client/testing"
import { failure } from "./aborted.ts"
import { film, task } from "./videoScripted.ts"

const input = { model: "any", input: { prompt: "a river" } }
const goesOn = 'That does not end its task, which is charged if it succeeds: awaitVideo("task_1") waits for it'

const start = () => {
  const controller = new AbortController()
  const made = testClient()
  film(made.gateway, 60_000)
  return { ...made, controller, signal: controller.signal }
}

describe("an aborted wait for a video", () => {
  it("has the task, which another wait gets and which is paid once", async () => {
    const { client, clock, controller, gateway, signal } = start()
    const left = failure(client.generateVideo(input, { signal }))
    await clock.advance("10 seconds")
    controller.abort()
    const error = await left
    expect(error).toMatchObject({ operation: "task.get", outcome: "unknown", taskId: "task_1" })
    expect(error.message).toBe(`The call was aborted. ${goesOn}`)
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ taskId: "task_1", message: error.message })
    expect(structuredClone(error)).toMatchObject({ message: error.message })
    const { output } = await client.resume.videoCreate(error)
    expect(output.task_id).toBe(error.taskId)
    const again = client.awaitVideo(error.taskId ?? "")
    await clock.advance("2 minutes")
    expect((await again).output.task_status).toBe("SUCCEEDED")
    expect(gateway.charged).toBe("0.050000")
  })

  it.each([0, 1_000, 10_000])("has the task and its operation after %i ms, however it was called", async (millis) => {
    const { client, clock, controller, signal } = start()
    await client.videoCreate(input)
    const progress = async () => {
      for await (const _ of client.videoProgress("task_1", { signal }));
    }
    if (millis === 0) controller.abort()
    const left = [failure(client.awaitVideo("task_1", { signal })), failure(progress())]
    await clock.advance(millis)
    controller.abort()
    for (const error of await Promise.all(left)) {
      expect(error).toMatchObject({ operation: "task.get", outcome: "unknown", taskId: "task_1" })
      expect(error.message).toContain(goesOn)
      expect(error).not.toHaveProperty("idempotencyKey")
    }
  })

  it("has it too if the client was closed", async () => {
    const { client, clock } = start()
    const left = failure(client.generateVideo(input))
    await clock.advance("10 seconds")
    await client.close()
    expect(await left).toMatchObject({ taskId: "task_1", message: `The client is closed. ${goesOn}` })
  })
})

describe("an aborted start of a video", () => {
  it("has no task yet, but its key", async () => {
    const { client, clock, controller, gateway, signal } = start()
    gateway.on(videoCreate, later("1 minute", task("PENDING")))
    const left = failure(client.generateVideo(input, { signal }))
    await clock.advance("1 second")
    controller.abort()
    const error = await left
    expect(error).toMatchObject({ operation: "video.create", outcome: "unknown", message: "The call was aborted" })
    expect(error).not.toHaveProperty("taskId")
    expect(error.idempotencyKey).toBe(gateway.requests[0]?.idempotencyKey)
  })

  it("was not executed if it was aborted before", async () => {
    const { client, gateway } = start()
    const error = await failure(client.generateVideo(input, { signal: AbortSignal.abort() }))
    expect(error).toMatchObject({ operation: "video.create", outcome: "not executed" })
    expect([error.taskId, gateway.requests]).toEqual([undefined, []])
  })
})
