import type { UsageGroup } from "@tollgate/contract/account/UsageSeries"
import { count, shortCount, usd } from "../../ui/amounts.ts"

/** The heads of the columns that `UsageCells` fills. */
export const UsageHeads = () => (
  <>
    {["Requests", "Tokens", "Charged"].map((name) => (
      <th key={name} scope="col" className="number">
        {name}
      </th>
    ))}
  </>
)

export const UsageCells = ({ totals }: Pick<UsageGroup, "totals">) => (
  <>
    <td className="number">{count(totals.requests)}</td>
    <td className="number" title={`${count(totals.input_tokens)} in, ${count(totals.output_tokens)} out`}>
      {shortCount(totals.input_tokens + totals.output_tokens)}
    </td>
    <td className="number">{usd(totals.charged_micros_usd)}</td>
  </>
)
