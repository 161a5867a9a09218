import { type CustomTask, readCustomTask } from "@tollgate/contract/CustomTask"
import { expect, it } from "vitest"

const task: CustomTask = {
  id: ["job", "id"],
  status: ["done"],
  ends: { SUCCEEDED: ["true", "7"], FAILED: ["broken"], CANCELED: [] },
  poll: { method: "GET", path: "/jobs/{id}" }
}

it.each([
  ['{"job":{"id":"a"},"done":true}', "a", "SUCCEEDED"],
  ['{"job":{"id":12},"done":7}', "12", "SUCCEEDED"],
  ['{"job":{"id":12},"done":"broken"}', "12", "FAILED"],
  ['{"job":{"id":12},"done":false}', "12", "RUNNING"],
  // Rounded, it would be the id of another task.
  ['{"job":{"id":12345678901234567890},"done":1.5}', undefined, undefined],
  ['{"job":{"id":""},"done":""}', undefined, undefined],
  ['{"job":{"id":{}},"done":[]}', undefined, undefined],
  ["[]", undefined, undefined],
  ["null", undefined, undefined]
])("reads the task in %s", (text, id, status) => {
  expect(readCustomTask(task, JSON.parse(text))).toEqual({ id, status })
})
