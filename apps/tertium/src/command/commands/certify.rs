//! `tertium certify`: is a proof a proof?

use tertium_base::Budget;
use tertium_certify::{Decider, Options, Request};
use tertium_driver::{Failure, ModelSource};
use tertium_report::Style;

use crate::command::args::{CertifyArgs, PlainFormat};
use crate::command::terminal::{self, Stream};

/// Runs the command.
pub fn run(args: &CertifyArgs) -> u8 {
    let budget = super::budget(args.limits);
    match certify(args, &budget) {
        Ok(code) => code,
        Err(failure) => super::fail(&failure, args.look.color),
    }
}

fn certify(args: &CertifyArgs, budget: &Budget) -> Result<u8, Failure> {
    super::allow_includes(&ModelSource::of_file(&args.file, None)?, &args.include_dirs)?;
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    let (text, code) = tertium_certify::run(&options(args), super::tool(), style, budget)?;
    terminal::write(Stream::Out, &text);
    Ok(code)
}

fn options(args: &CertifyArgs) -> Options {
    let words = |command: &String| command.split_whitespace().map(str::to_owned).collect();
    Options {
        model: args.file.clone(),
        certificate: args.certificate.clone(),
        request: Request {
            only: args.only.clone(),
            given: args.properties.clone(),
            logic: args.logic.map(|logic| logic.0),
            at: args.at.clone(),
            deadlock: args.deadlock.map(|name| name.0),
            linear: args.ltl.map(|reading| reading.0),
            fair: args.fair,
            defines: args.defines.clone(),
        },
        decider: Decider { command: args.solver.as_ref().map(words) },
        json: args.format == PlainFormat::Json,
    }
}
