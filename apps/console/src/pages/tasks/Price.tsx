import { quote, videoCreate } from "@tollgate/browser"
import { useLoad } from "@tollgate/react"
import { useEffect, useMemo } from "react"
import { usd } from "../../ui/amounts.ts"
import { pauseInTyping } from "../playground/pauseInTyping.ts"

export interface PriceProps {
  readonly model: string
  /** Gets the most that it can cost, in micro-USD. */
  readonly onPrice: (micros: bigint | undefined) => void
}

/** What a video costs at most, asked of the gateway. A quote is free. */
export const Price = ({ model, onPrice }: PriceProps) => {
  // The price depends on the model alone.
  const effect = useMemo(() => pauseInTyping(quote(videoCreate, { model, input: { prompt: "a video" } })), [model])
  const { error, value } = useLoad(effect)
  const most = value?.max_micros_usd
  useEffect(() => onPrice(most === undefined ? undefined : BigInt(most)), [onPrice, most])
  return (
    <span className="soft small" role="status">
      {error !== undefined
        ? `No price: ${error.message}`
        : most === undefined
          ? "Asking for the price"
          : `Costs ${usd(most)} at most`}
    </span>
  )
}
