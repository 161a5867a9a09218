import { createClient } from "@tollgate/browser"
import { call, type FileInput } from "@tollgate/client/discovered"

// Runs in the page: sends the file that was chosen in its `<input>`, when the test says how.
const { baseUrl, key } = JSON.parse(document.body.dataset.settings ?? "{}") as { baseUrl: string; key: string }

const client = createClient({ baseUrl, credential: key, allowKeyInPage: true })

const chosen = (): File => {
  const [file] = document.querySelector("input")?.files ?? []
  if (file === undefined) throw new Error("no file was chosen")
  return file
}

const broken = () => {
  let isRead = false
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (isRead) return controller.error(new Error("the camera was unplugged"))
      isRead = true
      controller.enqueue(new Uint8Array(1_000))
    }
  })
}

const locked = () => {
  const stream = chosen().stream()
  stream.getReader()
  return stream
}

const sources: Readonly<Record<string, () => FileInput>> = {
  file: chosen,
  stream: () => chosen().stream(),
  "named stream": () => ({ bytes: chosen().stream(), filename: "b.png", contentType: "image/png" }),
  broken,
  locked
}

const upload = async (name: string): Promise<object> => {
  try {
    const file = sources[name]?.()
    const { cost } = await call(client, "api.post_files", { file, title: "t" }).withResponse()
    return { micros: cost.micros }
  } catch (error) {
    const { _tag, code, message, outcome } = error as Readonly<Record<string, unknown>>
    return { _tag, code, message, outcome }
  }
}

Object.assign(window, { upload })
document.body.dataset.ready = "true"
