import { key } from "../TestGateway.ts"
import { Browser } from "./Browser.ts"

interface Form {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  readonly html: string
}

const attribute = (tag: string, name: string): string =>
  new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll("&amp;", "&") ?? ""

const formsIn = (html: string): ReadonlyArray<Form> =>
  [...html.matchAll(/<form[^>]*>.*?<\/form>/gs)].map(([form]) => ({
    action: attribute(form, "action"),
    fields: Object.fromEntries(
      [...form.matchAll(/<input type="hidden"[^>]*>/g)].map(([input]) => [
        attribute(input, "name"),
        attribute(input, "value")
      ])
    ),
    html: form
  }))

export interface Decision {
  readonly decision?: "approve" | "deny"
  /** In USD. `null`: no limit. */
  readonly limit?: string | null
  readonly key?: string
  /** Other fields of the form, in place of those that limit nothing. */
  readonly fields?: Readonly<Record<string, string>>
}

const maxSteps = 20

/** A person with a browser, who signs in with a key and decides on the consent page. */
export class Person {
  readonly browser = new Browser()

  /** Opens the address of an authorization request. Returns where the browser is sent at last: the client's address. */
  async decide(address: string, decision: Decision = {}): Promise<URL> {
    const { origin } = new URL(address)
    let response = await this.browser.fetch(address)
    let here = address
    for (let step = 0; step < maxSteps; step++) {
      const location = response.headers.get("location")
      if (location !== null) {
        const next = new URL(location, here)
        if (next.origin !== origin) return next
        here = next.href
        response = await this.browser.fetch(here)
        continue
      }
      const html = await response.text()
      const forms = formsIn(html)
      const form =
        forms.find(({ html }) => html.includes('name="key"')) ?? forms.find(({ html }) => html.includes("approve"))
      if (response.status !== 200 || form === undefined) throw new Error(`${response.status} at ${here}: ${html}`)
      here = new URL(form.action, here).href
      response = await this.browser.post(here, { ...form.fields, ...this.#answers(form, decision) })
    }
    throw new Error(`no end after ${maxSteps} steps, at ${here}`)
  }

  #answers(
    { html }: Form,
    { decision = "approve", fields = {}, key: own = key, limit = "5" }: Decision
  ): Record<string, string> {
    if (html.includes('name="key"')) return { key: own }
    const limits = { limit: limit === null ? "none" : "amount", amount: limit ?? "", day: "", ask: "" }
    return { decision, ...limits, days: "30", allow: "all", ...fields }
  }
}
