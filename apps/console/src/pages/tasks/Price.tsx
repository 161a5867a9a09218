import { quote, videoCreate } from "@tollgate/browser"
import { useLoad } from "@tollgate/react"
import { useEffect, useMemo } from "react"
import { usd } from "../../ui/amounts.ts"
import { pauseInTyping } from "../playground/pauseInTyping.ts"
import styles from "./tasks.module.css"

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
    <p className={styles["price"]} role="status">
      {error !== undefined ? (
        <span>No price: {error.message}</span>
      ) : value === undefined ? (
        <span>Asking for the price</span>
      ) : (
        <>
          <strong>at most {usd(value.max_micros_usd)}</strong>
          <span>about {usd(value.estimate_micros_usd)}</span>
        </>
      )}
    </p>
  )
}
