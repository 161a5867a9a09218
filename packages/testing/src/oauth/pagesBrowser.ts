/** A page as a browser got it, or the address of another site to which it was sent. */
export interface Shown {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The address of another site, if the last answer leads there. */
  readonly left?: string
}

interface Form {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
}

interface Cookie {
  readonly name: string
  readonly value: string
  readonly path: string
  readonly attributes: string
}

const unescape = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

const attribute = (element: string, name: string): string | undefined => {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(element)?.[1]
  return value === undefined ? undefined : unescape(value)
}

const cookieOf = (header: string): Cookie => {
  const [pair = "", ...attributes] = header.split("; ")
  const at = pair.indexOf("=")
  const path = attributes.find((part) => part.toLowerCase().startsWith("path="))?.slice(5) ?? "/"
  return { name: pair.slice(0, at), value: pair.slice(at + 1), path, attributes: attributes.join("; ") }
}

/** A browser without scripts: cookies, redirects and forms. */
export class Browser {
  readonly cookies: Array<Cookie> = []
  readonly #home: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(home: string, headers: Readonly<Record<string, string>> = {}) {
    this.#home = home
    this.#headers = { "x-forwarded-for": "198.51.100.1", ...headers }
  }

  /** Follows redirects until a page, or until another site. */
  async open(url: string, init: RequestInit = {}): Promise<Shown> {
    let next = new URL(url, this.#home)
    let request = init
    for (let hop = 0; hop < 10; hop++) {
      const answer = await this.fetch(next.href, request)
      const text = await answer.text()
      const location = answer.headers.get("location")
      const shown = { url: next.href, status: answer.status, headers: answer.headers, text }
      if (location === null) return shown
      next = new URL(location, next)
      if (next.origin !== new URL(this.#home).origin) return { ...shown, left: next.href }
      request = {}
    }
    throw new Error("too many redirects")
  }

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const target = new URL(url, this.#home)
    const answer = await fetch(target, {
      redirect: "manual",
      ...init,
      headers: { ...this.#headers, cookie: this.#cookiesFor(target.pathname), ...(init.headers as object | undefined) }
    })
    for (const header of answer.headers.getSetCookie()) this.#keep(cookieOf(header))
    return answer
  }

  /** Posts the form of a page that goes to a path with this end, with these values in place of its own. */
  submit(
    page: Shown,
    to: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {}
  ): Promise<Shown> {
    const form = formsIn(page).find(({ action }) => action.endsWith(to))
    if (form === undefined)
      throw new Error(`the page has no form to ${to}: ${/<h1>[^]*<\/h1>/.exec(page.text)?.[0] ?? ""}`)
    return this.open(new URL(form.action, page.url).href, post({ ...form.fields, ...fields }, headers))
  }

  #cookiesFor(path: string): string {
    return this.cookies
      .filter((cookie) => path.startsWith(cookie.path))
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ")
  }

  #keep(cookie: Cookie): void {
    const known = this.cookies.findIndex(({ name, path }) => name === cookie.name && path === cookie.path)
    if (known !== -1) this.cookies.splice(known, 1)
    if (cookie.value !== "") this.cookies.push(cookie)
  }
}

export const post = (
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {}
): RequestInit => ({ method: "POST", headers, body: new URLSearchParams(fields) })

/** The forms of a page, with what a browser would send of them. */
export const formsIn = ({ text }: Shown): ReadonlyArray<Form> =>
  [...text.matchAll(/<form[^>]*>[\s\S]*?<\/form>/g)].map(([form]) => {
    const inputs = [...form.matchAll(/<input[^>]*>/g)].map(([input]) => input)
    const sent = inputs.filter((input) => !/type="(?:radio|checkbox)"/.test(input) || /\schecked/.test(input))
    const selects = [...form.matchAll(/<select[\s\S]*?<\/select>/g)].map(([select]) => [
      attribute(select, "name") ?? "",
      /<option value="([^"]*)"\s+selected/.exec(select)?.[1] ?? ""
    ])
    return {
      action: attribute(form.slice(0, form.indexOf(">") + 1), "action") ?? "",
      fields: Object.fromEntries([
        ...sent.map((input) => [attribute(input, "name") ?? "", attribute(input, "value") ?? ""]),
        ...selects
      ])
    }
  })
