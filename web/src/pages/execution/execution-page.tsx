import { Page } from "../../ui/page.tsx";

export function ExecutionPage() {
  return <Page title="Execution">{null}</Page>;
}
