import { taskGet, type TaskStatus, videoCreate } from "@tollgate/client"
import { reply, type ScriptedGateway } from "@tollgate/client/testing"

/** The state of a video, which costs this much. */
export const task = (
  task_status: TaskStatus,
  { cost, ...more }: { readonly code?: string; readonly message?: string; readonly cost?: string } = {}
) => reply({ output: { task_id: "task_1", task_status, ...more } }, cost === undefined ? {} : { cost })

/** A video that takes this long. */
export const film = (gateway: ScriptedGateway, millis: number): ScriptedGateway =>
  gateway
    .on(videoCreate, task("PENDING", { cost: "0.05" }))
    .on(taskGet, ({ at }) => task(at < millis ? "RUNNING" : "SUCCEEDED"))
