import { day } from "../fill.ts"
import { key } from "../question.ts"
import { ready } from "./ready.ts"

// Callers who ask for a year's usage again and again.
const [gateway = "", callers = ""] = process.argv.slice(2)
const now = Math.floor(Date.now() / 1_000)
const url = `${gateway}/v1/usage?start_time=${now - (365 * day) / 1_000}&end_time=${now}`

const ask = async () => {
  for (;;) {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
    const text = await answer.text()
    if (!text.includes('"buckets"')) throw new Error(`no report: ${answer.status} ${text}`)
  }
}
for (let i = 0; i < Number(callers); i++) void ask()
ready(0)
