import * as Effect from "effect/Effect"
import { PaymentError, type PaymentProvider, type Seen, type Wanted } from "./PaymentProvider.ts"

/** What the provider says of it, which changes when its page is used. */
export interface PretendPage {
  readonly back: string
  seen: Seen
}

const most = 1_000
const card = { customer: "pretend", method: "4242", words: "pretend 4242" }

const refused = (message: string) => Effect.fail(new PaymentError({ reason: "refused", message }))

const nothing = {
  account: "",
  cents: 0,
  currency: "usd",
  receipt: null,
  card: null,
  returned: [],
  problem: ""
} as const
const problem = "The sandbox has forgotten this payment: it was started again."
const forgotten: PretendPage = { back: "", seen: { ...nothing, state: "failed", problem } }

/** Cards that are not real, for trying: nothing leaves this process, which forgets them when it ends. `isOpen`: whether they pay by now. */
export const makePretend = (baseUrl: string, isOpen: () => boolean) => {
  const pages = new Map<string, PretendPage>()
  const find = (reference: string): PretendPage => pages.get(reference) ?? forgotten

  const open = ({ account, cents, id }: Wanted, of: Pick<Seen, "state" | "card">, back = "") =>
    Effect.suspend(() => {
      if (!isOpen()) return refused("This gateway reaches more than the sandbox now, and takes no pretend cards.")
      const [oldest] = pages.keys()
      if (pages.size >= most && oldest !== undefined) pages.delete(oldest)
      const url = `${baseUrl}/payments/pretend/${id}`
      pages.set(id, { back, seen: { ...nothing, account, cents, receipt: url, ...of } })
      return Effect.succeed({ reference: id, url })
    })

  const provider: PaymentProvider = {
    name: "sandbox",
    isPretend: true,
    checkout: (wanted, { back, saveCard }) => open(wanted, { state: "open", card: saveCard ? card : null }, back),
    charge: (wanted) => open(wanted, { state: "paid", card: null }),
    look: (reference) => Effect.sync(() => find(reference).seen),
    returnedSince: () => Effect.succeed([]),
    cancel: (reference) =>
      Effect.suspend(() => {
        const page = find(reference)
        if (page.seen.state !== "open") return refused("It has ended.")
        page.seen = { ...page.seen, state: "failed" }
        return Effect.void
      }),
    refund: (reference, { cents, id }) =>
      Effect.suspend(() => {
        const page = find(reference)
        const { problem, returned, state } = page.seen
        if (state !== "paid") return refused(problem)
        if (!returned.some((one) => one.id === id))
          page.seen = { ...page.seen, returned: [...returned, { id, kind: "refund", cents, undone: false }] }
        return Effect.void
      }),
    forget: () => Effect.void,
    event: () => refused("The sandbox sends no events.")
  }

  return {
    provider,
    page: (reference: string) => pages.get(reference),
    press: (page: PretendPage, pressed: "pay" | "decline" | "leave"): void => {
      if (page.seen.state !== "open" || !isOpen()) return
      const problem = { pay: "", decline: "The card was declined.", leave: "It was left." }[pressed]
      page.seen = { ...page.seen, state: pressed === "pay" ? "paid" : "failed", problem }
    }
  }
}

export type Pretend = ReturnType<typeof makePretend>
