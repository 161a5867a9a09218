import { taskGet } from "../../operations/taskGet.ts"
import { videoCreate } from "../../operations/videoCreate.ts"
import type { Examples } from "../Example.ts"

export const video: Examples = {
  [videoCreate.id]: [{ body: { model: "sandbox-video", input: { prompt: "A river at dawn" } } }],
  [taskGet.id]: [
    {
      note: "The first call starts a task. Repeat the second every three to five seconds.",
      variables: [
        {
          name: "task_id",
          source: { answerTo: videoCreate.id, read: "output.task_id" },
          sample: "task_0f8b2c4d6e8f0a1b2c3d4e5f60718293"
        }
      ],
      path: { task_id: "$task_id" }
    }
  ]
}
