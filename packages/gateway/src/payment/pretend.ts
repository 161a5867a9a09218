import * as Effect from "effect/Effect"
import { PaymentError, type PaymentProvider, type Returned, type SavedCard, type Wanted } from "./PaymentProvider.ts"

export interface PretendPage {
  readonly wanted: Wanted
  readonly back: string
  readonly saveCard: boolean
  readonly returned: Array<Returned>
  state: "open" | "paid" | "failed"
  problem: string
}

const most = 1_000
const card: SavedCard & { readonly words: string } = { customer: "pretend", method: "4242", words: "pretend 4242" }
const declined = "The card was declined."

/** What the page of a card does. */
export type Pretended = "pay" | "decline" | "leave"

const refused = (message: string) => Effect.fail(new PaymentError({ reason: "refused", message }))

const forgotten: PretendPage = {
  wanted: { id: "", account: "", cents: 0 },
  back: "",
  saveCard: false,
  returned: [],
  state: "failed",
  problem: "The sandbox has forgotten this payment: it was started again."
}

/** Cards that are not real, for trying: nothing leaves this process, which forgets them when it ends. `isOpen`: whether they pay by now. */
export const makePretend = (baseUrl: string, isOpen: () => boolean) => {
  const pages = new Map<string, PretendPage>()

  const open = (page: PretendPage): Effect.Effect<string, PaymentError> =>
    Effect.suspend(() => {
      if (!isOpen()) return refused("This gateway reaches more than the sandbox now, and takes no pretend cards.")
      const [oldest] = pages.keys()
      if (pages.size >= most && oldest !== undefined) pages.delete(oldest)
      pages.set(page.wanted.id, page)
      return Effect.succeed(page.wanted.id)
    })
  const find = (reference: string): PretendPage => pages.get(reference) ?? forgotten

  const pageAt = (reference: string) => `${baseUrl}/payments/pretend/${reference}`

  const provider: PaymentProvider = {
    name: "sandbox",
    isPretend: true,
    checkout: (wanted, { back, saveCard }) =>
      Effect.map(open({ wanted, back, saveCard, returned: [], state: "open", problem: "" }), (reference) => ({
        reference,
        url: pageAt(reference)
      })),
    charge: (wanted) =>
      Effect.map(
        open({ wanted, back: "", saveCard: false, returned: [], state: "paid", problem: "" }),
        (reference) => ({ reference })
      ),
    look: (reference) =>
      Effect.sync(() => {
        const { problem, returned, saveCard, state, wanted } = find(reference)
        const { account, cents } = wanted
        return {
          account,
          cents,
          state,
          problem,
          returned,
          currency: "usd",
          receipt: state === "paid" ? pageAt(reference) : null,
          card: saveCard ? card : null
        }
      }),
    returnedSince: () => Effect.succeed([]),
    cancel: (reference) =>
      Effect.suspend(() => {
        const page = find(reference)
        if (page.state !== "open") return refused("It has ended.")
        page.state = "failed"
        return Effect.void
      }),
    refund: (reference, { cents, id }) =>
      Effect.suspend(() => {
        const { problem, returned, state } = find(reference)
        if (state !== "paid") return refused(problem)
        if (!returned.some((one) => one.id === id)) returned.push({ id, kind: "refund", cents, undone: false })
        return Effect.void
      }),
    forget: () => Effect.void,
    signatureHeader: "",
    event: () => refused("The sandbox sends no events.")
  }

  return {
    provider,
    page: (reference: string) => pages.get(reference),
    press: (page: PretendPage, pressed: Pretended): void => {
      if (page.state !== "open" || !isOpen()) return
      page.state = pressed === "pay" ? "paid" : "failed"
      page.problem = { pay: "", decline: declined, leave: "It was left." }[pressed]
    }
  }
}

export type Pretend = ReturnType<typeof makePretend>
