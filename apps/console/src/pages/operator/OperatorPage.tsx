import { Page } from "../../ui/Page.tsx"

export const OperatorPage = () => <Page title="Operator">…</Page>
