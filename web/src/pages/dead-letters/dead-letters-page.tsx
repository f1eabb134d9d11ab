import { Page } from "../../ui/page.tsx";

export function DeadLettersPage() {
  return <Page title="Dead letters">{null}</Page>;
}
